// The path as a picture: the queue before the link and the link as a pipe, to one scale, so
// that a buffer longer than the pipe looks so. How many packets are where is as in the run;
// they move slower than there.

/* global colours, faded */

/** Room for a dot, in pixels. */
const DOT = 8;
const HEIGHT = 132;
const RADIUS = 3.4;
/** A packet crosses the pipe in so many seconds of the reader's time. */
const CROSSING_S = 2.6;
const GOLDEN = 0.6180339887;

export class Pipe {
  constructor(canvas, caption) {
    this.canvas = canvas;
    this.caption = caption;
    this.phase = 0;
    this.falling = [];
    this.path = null;
    this.last = null;
  }

  /** The path of a run: packets of its BDP and its buffer, and its smallest round trip. */
  of({ bdp, buffer, packetsPerSecond }, hues) {
    this.path = { bdp, buffer, packetsPerSecond };
    this.hues = hues;
    this.falling = [];
    this.last = null;
  }

  layout() {
    const width = this.canvas.clientWidth;
    const ratio = window.devicePixelRatio || 1;
    if (this.canvas.width !== Math.round(width * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(HEIGHT * ratio);
    }
    const ends = 34;
    const room = width - 2 * ends - 18;
    const { bdp, buffer } = this.path;
    const share = Math.min(0.97, Math.max(0.03, buffer / (buffer + bdp / 2)));
    const queue = room * share;
    return { ratio, width, queue: { from: ends, to: ends + queue }, pipe: { from: ends + queue + 18, to: width - ends } };
  }

  /**
   * Draws a moment. `now`: packets queued, share of the link in use, drops so far, and for
   * each group its share of the throughput; `seconds` of the reader's since the last one.
   */
  draw(now, seconds) {
    if (!this.path || this.canvas.clientWidth === 0) return;
    const { ratio, queue, pipe } = this.layout();
    const shades = colours();
    const ctx = this.canvas.getContext("2d");
    const [top, height] = [34, 30];
    const middle = top + height / 2;
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.clearRect(0, 0, this.canvas.width, HEIGHT);
    const perDot = Math.max(1, Math.ceil((this.path.bdp / 2 + Math.min(this.path.buffer, 4 * this.path.bdp)) / (this.canvas.clientWidth / DOT)));
    const colour = (nth) => {
      let place = (((nth * GOLDEN) % 1) + 1) % 1;
      for (let g = 0; g < now.shares.length; g++) {
        place -= now.shares[g];
        if (place < 0) return shades.curve[this.hues[g]];
      }
      return shades.faint;
    };
    const dot = (x, y, fill, radius = RADIUS) => {
      ctx.fillStyle = fill;
      ctx.beginPath();
      ctx.arc(x, y, radius, 0, 2 * Math.PI);
      ctx.fill();
    };
    this.vessel(ctx, shades, queue, top, height, true);
    this.vessel(ctx, shades, pipe, top, height, false);
    this.vessel(ctx, shades, { from: queue.from, to: pipe.to }, 92, 12, false);

    // the pipe: as many as are on their way, so far from each other
    const length = pipe.to - pipe.from;
    const full = length / Math.max(1, this.path.bdp / 2 / perDot);
    const gap = full / Math.max(0.02, Math.min(1, now.use));
    this.phase += (seconds * length) / CROSSING_S / full;
    const first = Math.floor((this.phase * full) / gap);
    const offset = this.phase * full - first * gap;
    for (let i = 0; offset + i * gap < length && now.use > 0.005; i++) dot(pipe.from + offset + i * gap, middle, colour(first - i));
    const back = pipe.to - queue.from;
    for (let i = 0; offset + i * gap < back && now.use > 0.005; i++) dot(pipe.to - offset - i * gap, 98, colour(first - i), 1.7);

    // the queue: its last packet at the left
    const waiting = Math.round(now.queue / perDot);
    const room = (queue.to - queue.from) / Math.max(1, this.path.buffer / perDot);
    for (let i = 0; i < waiting; i++) dot(queue.to - (i + 0.5) * room, middle + (room < 2 * RADIUS ? (((i * 7) % 5) - 2) * 4 : 0), colour(first + 1 + i));

    // what is dropped falls
    if (seconds > 0 && this.last !== null && now.drops > this.last) this.falling.push({ x: queue.from - 2, age: 0, fill: colour(first + waiting) });
    this.last = now.drops;
    this.falling = this.falling.filter((fallen) => (fallen.age += seconds) < 0.7).slice(-12);
    for (const { x, age, fill } of this.falling) {
      ctx.globalAlpha = 1 - age / 0.7;
      dot(x - 18 * age, middle + 70 * age * age, fill, RADIUS + 0.6);
      ctx.globalAlpha = 1;
    }

    ctx.fillStyle = shades.faint;
    ctx.font = "12px system-ui, sans-serif";
    ctx.textAlign = "left";
    ctx.fillText("queue", queue.from, 22);
    ctx.textAlign = "right";
    ctx.fillText("link", pipe.to, 22);
    ctx.fillText("ACKs", pipe.to, 120);
    this.says(now, perDot);
  }

  vessel(ctx, shades, { from, to }, top, height, open) {
    ctx.fillStyle = faded(shades.faint, 0.08);
    ctx.fillRect(from, top, to - from, height);
    ctx.strokeStyle = shades.line;
    ctx.lineWidth = 1;
    ctx.beginPath();
    ctx.moveTo(from, top);
    ctx.lineTo(to, top);
    ctx.moveTo(from, top + height);
    ctx.lineTo(to, top + height);
    if (open) {
      ctx.moveTo(to, top);
      ctx.lineTo(to, top + height);
    }
    ctx.stroke();
  }

  says(now, perDot) {
    const ms = (1e3 * now.queue) / this.path.packetsPerSecond;
    const digits = ms < 10 ? 1 : 0;
    const text = `${Math.round(now.queue)} of ${Math.round(this.path.buffer)} packets wait, ${ms.toFixed(digits)} ms; the round trip without a queue holds ${Math.round(this.path.bdp)} (the BDP). A dot: ${perDot === 1 ? "a packet" : `${perDot} packets`}.`;
    if (text !== this.text) this.caption.textContent = this.text = text;
  }
}
