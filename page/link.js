// A link holds the whole scenario: `#v1.` + base64url(deflate-raw(JSON of {scenario, view})).

const VERSION = "v1";

/** A longer link is refused, and so is what unpacks to more than that. */
const LONGEST = 64 * 1024;
const LARGEST = 256 * 1024;

/** Why a link cannot be opened; the message is for the reader. */
export class LinkError extends Error {}

async function pack(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Unpacks piece by piece, so that a small link cannot fill the memory. */
async function unpack(bytes) {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const parts = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > LARGEST) {
      await reader.cancel();
      throw new LinkError(`This link holds more than ${LARGEST / 1024} KiB. Scenarios this long can be run with: tusker run FILE`);
    }
    parts.push(value);
  }
  return new Blob(parts).text();
}

/** The fragment of a link, without `#`. */
export async function encode(content) {
  const bytes = await pack(new TextEncoder().encode(JSON.stringify(content)));
  let letters = "";
  for (const byte of bytes) letters += String.fromCharCode(byte);
  return `${VERSION}.${btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
}

/** What a fragment holds: { scenario, view }. */
export async function decode(fragment) {
  const text = fragment.replace(/^#/, "");
  const [, version, data] = /^(v\d+)\.(.*)$/s.exec(text) ?? [];
  if (!version) throw new LinkError("This link is not one of this page: it does not begin with #v1.");
  if (version !== VERSION) throw new LinkError(`This link has the form ${version}; this page reads ${VERSION}. Open it with the version of Tusker that made it.`);
  if (text.length > LONGEST) throw new LinkError(`This link is longer than ${LONGEST / 1024} KiB. Scenarios this long can be run with: tusker run FILE`);
  let content;
  try {
    const letters = atob(data.replaceAll("-", "+").replaceAll("_", "/"));
    content = JSON.parse(await unpack(Uint8Array.from(letters, (letter) => letter.charCodeAt(0))));
  } catch (error) {
    if (error instanceof LinkError) throw error;
    throw new LinkError("This link is damaged: part of it may have been cut off. Copy it again.");
  }
  const { scenario, view } = content ?? {};
  const written = typeof scenario === "string" || (typeof scenario === "object" && scenario !== null && !Array.isArray(scenario));
  if (!written) throw new LinkError("This link holds no scenario. Copy it again.");
  return { scenario, view: typeof view === "object" && view !== null && !Array.isArray(view) ? view : {} };
}
