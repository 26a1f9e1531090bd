// Two clocks: each side has its minutes for the game.

/// Makes clocks of so many minutes a side, with seconds added after each turn; `onEnd(side)` hears who ran out.
function makeClock(minutes, added, onEnd) {
  const left = { attackers: minutes * 60000, defenders: minutes * 60000 };
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
    if (side === running) return;
    if (running) left[running] = now(running) + added * 1000;
    running = side;
    since = performance.now();
    write();
  };
  const stop = () => { pause(); clearInterval(timer); };
  write();
  return { node: el("div", { class: "clocks", role: "timer" }, faces.attackers, faces.defenders), turn, pause, stop };
}
