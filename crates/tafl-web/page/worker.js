// The engine's worker: WebAssembly, and one question after the other.
"use strict";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
let boot = null;
let engine = null;

function put(bytes) {
  const at = engine.room(bytes.length);
  new Uint8Array(engine.memory.buffer, at, bytes.length).set(bytes);
}

const output = (length) => decoder.decode(new Uint8Array(engine.memory.buffer, engine.output(), length));

/// Makes a new engine of what the page sent at first.
async function start() {
  boot.module ??= await WebAssembly.compile(boot.engine);
  engine = (await WebAssembly.instantiate(boot.module, {})).exports;
  const taken = (length) => { if (length > 0) throw new Error(output(length)); };
  for (const [card, net] of boot.nets) {
    put(encoder.encode(card));
    engine.take_card();
    put(net);
    taken(engine.take_net());
  }
  put(encoder.encode(boot.book));
  taken(engine.take_book());
}

function answer(question) {
  put(encoder.encode(JSON.stringify(question)));
  return JSON.parse(output(engine.answer()));
}

async function onQuestion({ id, boot: sent, question }) {
  try {
    if (sent) {
      boot = sent;
      await start();
    }
    const { ok, error } = sent ? { ok: null } : answer(question);
    postMessage({ id, ok, error });
  } catch (error) {
    // Whatever the engine was at, a new one knows all that it needs.
    if (!sent) await start();
    postMessage({ id, error: `The engine stopped: ${error.message}` });
  }
}

let last = Promise.resolve();
onmessage = ({ data }) => { last = last.then(() => onQuestion(data)); };
