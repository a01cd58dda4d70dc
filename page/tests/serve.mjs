// Hands a folder out on this machine, under a path of its own: the page must not need the root.

import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

const TYPES = { ".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".wasm": "application/wasm" };

/** Begins; answers with the address of the folder and a function that ends it. */
export function serve(folder, base = "/some/where/") {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    const inside = pathname.startsWith(base) ? normalize(pathname.slice(base.length) || "index.html") : null;
    const file = inside === null ? "" : join(folder, inside);
    if (inside === null || inside.startsWith("..") || !existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream", "cache-control": "no-store" });
    createReadStream(file).pipe(response);
  });
  return new Promise((begun) => server.listen(0, "127.0.0.1", () => begun({ url: `http://127.0.0.1:${server.address().port}${base}`, end: () => server.close() })));
}
