// The board that is played on: by taps, by dragging, by keys. Its squares are buttons with names, above the drawing.

/// Makes a board. `onMove(from, to)` and `onSquare(index)` hear what the reader does, whichever is given; `onRefused(from, to)`
/// of what is not legal, without a target of a piece that does not move.
function makeTable({ onMove, onRefused, onSquare, label }) {
  const table = { node: el("div", { class: "table" }), board: null, shape: null, flipped: false, legal: [], selected: null, cursor: 0, buttons: [] };
  const grid = el("div", { class: "squares", role: "grid", "aria-label": label });
  const order = () => Array.from({ length: table.shape.size ** 2 }, (_, place) => {
    const { size } = table.shape;
    const index = (size - 1 - Math.floor(place / size)) * size + (place % size);
    return table.flipped ? size * size - 1 - index : index;
  });
  table.setShape = (shape, flipped = table.flipped) => {
    Object.assign(table, { shape, flipped, selected: null, position: null, shares: null });
    table.board = drawBoard(shape, "", flipped);
    table.board.root.setAttribute("aria-hidden", "true");
    table.marks = svg("g", { class: "marks" });
    table.board.above.before(table.marks);
    table.hints = svg("g", { class: "hints" });
    table.board.above.after(table.hints);
    const cells = order().map((index) => el("button", { type: "button", role: "gridcell", tabindex: "-1", "data-square": index }));
    table.buttons = [];
    cells.forEach((cell) => { table.buttons[Number(cell.dataset.square)] = cell; });
    const rows = Array.from({ length: shape.size }, (_, rank) => el("div", { role: "row" }, cells.slice(rank * shape.size, (rank + 1) * shape.size)));
    grid.replaceChildren(...rows);
    const edge = (100 * FRAME) / (CELL * shape.size + 2 * FRAME);
    grid.style.inset = `${edge}%`;
    table.cursor = Math.min(table.cursor, shape.size ** 2 - 1);
    table.node.replaceChildren(table.board.root, grid);
  };
  /// Shows a position; `legal` are the moves that the reader may make, as [from, to].
  table.show = (position, { legal = [], moved = false } = {}) => {
    Object.assign(table, { position, legal, selected: null });
    placePosition(table.board, position, moved);
    table.refresh();
  };
  table.refresh = () => {
    const { legal, selected, position } = table;
    if (!position) return;
    const own = new Set(legal.map(([from]) => from));
    const targets = new Set(legal.filter(([from]) => from === selected).map(([, to]) => to));
    table.buttons.forEach((button, index) => {
      const letter = position.squares[index];
      const parts = [squareName(index, table.shape.size), letter ? WORDS.pieces[letter] : WORDS.empty];
      if (index === selected) parts.push(WORDS.selected);
      if (targets.has(index)) parts.push(WORDS.target);
      button.setAttribute("aria-label", parts.join(", "));
      button.classList.toggle("own", own.has(index));
      button.classList.toggle("target", targets.has(index));
      button.tabIndex = index === table.cursor ? 0 : -1;
    });
    drawMarks(table, targets);
  };
  table.select = (index) => { table.selected = index; table.refresh(); };
  table.flip = () => {
    const { position, shares } = table;
    table.setShape(table.shape, !table.flipped);
    Object.assign(table, { position, shares });
    placePosition(table.board, position);
    table.refresh();
  };
  /// Puts arrows over the board: [{ from, to, kind, weight }].
  table.arrows = (arrows) => {
    const { at } = table.board;
    table.hints.replaceChildren(...arrows.map((one) => arrow(at(one.from), at(one.to), table.shape.size, one.kind, one.weight)));
  };
  /// Colors squares by shares, 0 to 1; null takes the colors away.
  table.heat = (shares) => { table.shares = shares; table.refresh(); };
  const squareOf = (target) => (target?.dataset?.square === undefined ? null : Number(target.dataset.square));
  const play = (from, to) => { if (table.legal.some((move) => move[0] === from && move[1] === to)) { onMove(from, to); return true; } if (!table.legal.some((move) => move[0] === to)) onRefused?.(from, to); return false; };
  const tap = (index) => {
    table.cursor = index;
    if (onSquare) return onSquare(index);
    if (table.selected !== null && table.selected !== index && play(table.selected, index)) return undefined;
    const isOwn = table.legal.some(([from]) => from === index);
    if (table.selected === null && !isOwn && table.position?.squares[index]) onRefused?.(index, null);
    return table.select(isOwn && table.selected !== index ? index : null);
  };
  grid.addEventListener("click", (event) => {
    const index = squareOf(event.target);
    if (index === null || table.dragged) { table.dragged = false; return; }
    tap(index);
    table.buttons[index].focus({ preventScroll: true });
  });
  listenToKeys(table, grid);
  if (onMove) listenToDrags(table, grid, squareOf, play);
  return table;
}

/// What lies on the ground: colors of shares, the selected square, dots where it may go.
function drawMarks(table, targets) {
  const { size } = table.shape;
  const { at } = table.board;
  const marks = [];
  const most = Math.max(...(table.shares ?? []), 0);
  (table.shares ?? []).forEach((share, index) => {
    if (share < 0.005) return;
    const [x, y] = cornerOf(at(index), size);
    marks.push(svg("rect", { class: `warm w${Math.max(1, Math.ceil((share / most) * STEPS))}`, x: x + 1, y: y + 1, width: CELL - 2, height: CELL - 2 }));
  });
  if (table.selected !== null) {
    const [x, y] = cornerOf(at(table.selected), size);
    marks.push(svg("rect", { class: "chosen", x: x + 1.5, y: y + 1.5, width: CELL - 3, height: CELL - 3, rx: 3 }));
  }
  for (const index of targets) {
    const [x, y] = centerOf(at(index), size);
    marks.push(svg("circle", { class: "goal-dot", cx: x, cy: y, r: 6.5 }));
  }
  table.marks.replaceChildren(...marks);
}

/// Arrows walk over the squares; Escape lets go of the piece.
function listenToKeys(table, grid) {
  const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
  grid.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && table.selected !== null) { table.select(null); event.stopPropagation(); return; }
    const step = steps[event.key];
    if (!step || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    const { size } = table.shape;
    const turn = table.flipped ? -1 : 1;
    const file = (table.cursor % size) + turn * step[0];
    const rank = Math.floor(table.cursor / size) + turn * step[1];
    if (file < 0 || rank < 0 || file >= size || rank >= size) return;
    table.buttons[table.cursor].tabIndex = -1;
    table.cursor = rank * size + file;
    table.buttons[table.cursor].tabIndex = 0;
    table.buttons[table.cursor].focus();
  });
}

/// A piece follows the pointer, and goes where it is let go.
function listenToDrags(table, grid, squareOf, play) {
  let drag = null;
  const under = (event) => squareOf(document.elementFromPoint(event.clientX, event.clientY));
  const shapeOf = (index) => {
    const [x, y] = centerOf(table.board.at(index), table.shape.size);
    return [...table.board.above.querySelectorAll(".piece")].find((piece) => piece.getAttribute("transform") === `translate(${x} ${y})`);
  };
  const end = () => { drag?.piece?.firstChild.style.removeProperty("transform"); drag?.piece?.classList.remove("dragged"); drag = null; };
  grid.addEventListener("pointerdown", (event) => {
    const index = squareOf(event.target);
    table.dragged = false;
    if (event.button !== 0 || index === null || !event.target.classList.contains("own")) return;
    drag = { index, x: event.clientX, y: event.clientY, piece: null };
    // The square would keep the events of a finger.
    if (event.target.hasPointerCapture?.(event.pointerId)) event.target.releasePointerCapture(event.pointerId);
  });
  window.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!drag.piece && Math.hypot(dx, dy) < 7) return;
    if (!drag.piece) {
      table.select(drag.index);
      drag.piece = shapeOf(drag.index);
      drag.piece?.classList.add("dragged");
      drag.piece?.parentNode.append(drag.piece);
    }
    const unit = (CELL * table.shape.size + 2 * FRAME) / table.node.clientWidth;
    drag.piece?.firstChild.style.setProperty("transform", `translate(${dx * unit}px, ${dy * unit}px)`);
  });
  window.addEventListener("pointerup", (event) => {
    if (!drag) return;
    const { index, piece } = drag;
    const to = under(event);
    end();
    if (!piece) return;
    table.dragged = event.target.closest?.(".squares") !== null;
    setTimeout(() => { table.dragged = false; }, 0);
    table.cursor = to ?? index;
    if (to === null || to === index || !play(index, to)) table.select(to === index ? index : null);
    table.refresh();
    table.buttons[table.cursor].focus({ preventScroll: true });
  });
  window.addEventListener("pointercancel", end);
}
