// Two clocks: each side has its minutes for the game.

/// Makes clocks such as "5+3", minutes a side and seconds added after each turn; `onEnd(side)` hears who ran out. `before` is
/// what `kept` said of clocks that go on.
function makeClock(kind, onEnd, before = null) {
  const [minutes, added] = kind.split("+").map(Number);
  const left = before ? { ...before.left } : { attackers: minutes * 60000, defenders: minutes * 60000 };
  const held = el("span", { class: "note", hidden: true }, WORDS.play.held);
  let next = null;
  const faces = Object.fromEntries(["attackers", "defenders"].map((side) => [side, el("span", { class: `clock ${side}` })]));
  let running = null;
  let since = 0;
  const now = (side) => left[side] - (running === side ? performance.now() - since : 0);
  const write = () => {
    for (const side of ["attackers", "defenders"]) {
      const seconds = Math.max(0, Math.ceil(now(side) / 1000));
      faces[side].textContent = `${capital(side)} ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
      faces[side].classList.toggle("running", running === side);
    }
  };
  const timer = setInterval(() => {
    write();
    if (running && now(running) <= 0) {
      const side = running;
      stop();
      onEnd(side);
    }
  }, 200);
  const pause = () => { if (running) { left[running] = now(running); running = null; } write(); };
  const turn = (side) => {
    if (!held.hidden) { next = side; return; }
    next = null;
    if (side === running) return;
    if (running) left[running] = now(running) + added * 1000;
    running = side;
    since = performance.now();
    write();
  };
  const stop = () => { pause(); next = null; held.hidden = true; clearInterval(timer); };
  /// Lets the clocks stand until `wake`.
  const rest = () => { next = running ?? next; pause(); };
  const wake = () => { if (next) turn(next); };
  /// Lets the clocks stand until the reader is there.
  const hold = () => {
    held.hidden = false;
    // Once hidden it keeps its place: a click that ends the wait must not move what it is on.
    held.classList.add("placed");
    const go = () => {
      ["pointerdown", "keydown"].forEach((event) => window.removeEventListener(event, go));
      held.hidden = true;
      wake();
    };
    ["pointerdown", "keydown"].forEach((event) => window.addEventListener(event, go));
  };
  const kept = () => ({ kind, left: { attackers: now("attackers"), defenders: now("defenders") }, runs: running !== null || next !== null });
  write();
  return { kind, node: el("div", { class: "clocks", role: "timer" }, faces.attackers, faces.defenders, held), turn, stop, rest, wake, hold, kept };
}
