// The engine in its worker: questions are answered by promises, one search at a time.

/// A tiny module with one vector instruction: a browser that refuses it cannot compute networks.
const VECTORS = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11];

const hasVectors = () => {
  try { return WebAssembly.validate(new Uint8Array(VECTORS)); } catch { return false; }
};

const bytesOf = (text) => (Uint8Array.fromBase64 ? Uint8Array.fromBase64(text) : Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)));

/// Milliseconds of searching between two looks at what the reader does.
const SLICE = 40;

function startEngine(data) {
  if (!hasVectors()) throw new Error(WORDS.errors.noVectors);
  const source = new Blob([document.getElementById("worker").textContent], { type: "text/javascript" });
  const worker = new Worker(URL.createObjectURL(source));
  const waiting = new Map();
  let next = 0;
  let search = 0;
  worker.onmessage = ({ data: { id, ok, error } }) => {
    const { done, failed } = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) done(ok); else failed(new Error(error));
  };
  worker.onerror = (event) => { for (const { failed } of waiting.values()) failed(new Error(event.message || WORDS.errors.noWorker)); };
  const send = (message) => new Promise((done, failed) => {
    next += 1;
    waiting.set(next, { done, failed });
    worker.postMessage({ id: next, ...message });
  });
  const ask = (op, fields = {}) => send({ question: { op, ...fields } });
  const nets = data.nets.map(([card, text]) => [JSON.stringify(card), bytesOf(text)]);
  const ready = send({ boot: { engine: bytesOf(data.engine), nets, book: JSON.stringify(data.book) } });

  /// Lets a search go on to its visits; null if another one began.
  const run = async (number, own, progress) => {
    for (let evaluations = 4; ;) {
      if (own !== search) return null;
      const begun = performance.now();
      const step = await ask("step", { number, evaluations });
      if (own !== search) return null;
      evaluations = Math.max(1, Math.min(400, Math.round((evaluations * SLICE) / Math.max(performance.now() - begun, 1))));
      if (step.done) return number;
      if (progress) await progress(number, step.visits);
    }
  };
  /// Searches a position to its visits and returns the search's number. `progress` hears of it now and then; null comes back
  /// if another search began, or after `stop`.
  const think = async (game, { net, visits, seed = 1, progress }) => {
    search += 1;
    const own = search;
    const number = await ask("think", { game, net, visits, seed });
    return run(number, own, progress);
  };
  /// Goes on with a search by so many visits.
  const goOn = async (number, visits, progress) => {
    const own = search;
    await ask("go-on", { number, visits });
    return run(number, own, progress);
  };
  const stop = () => { search += 1; };
  return { ask, ready, think, goOn, stop };
}
