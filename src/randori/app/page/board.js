// The board: drawn as SVG, played by mouse, touch and keyboard. The server sends a view, we send back a move and the ply it is meant for.
// One's own move is painted at once, with the changes that the server has announced; the reply waits until the move has been seen.
const UNIT = 100;
// Hexagons stand on a corner: a UNIT wide, each row lies three quarters of a height below the one above.
const CORNER = UNIT / Math.sqrt(3);
const HEX_ROW = 1.5 * CORNER;
// Seconds: how long a piece takes to appear, fall or turn, and when one begins to turn; the stylesheet has the same.
const APPEAR = 0.18, FALL = 0.38, TURN = 0.42;
const turnsAfter = (distance) => 0.12 + 0.11 * distance;
const PAUSE = 0.15;
// Where squares have fewer pixels than this under a finger, a first tap shows so many of them larger.
const FINGER = 30, ENLARGED = 7;
// So many of the best moves have their numbers in full strength.
const NEAR = 8;

// What the person has set, and sounds, where the page has brought them.
const setting = (name) => window.randori?.setting(name);
const sound = (name) => window.randori?.sound(name);

export default {
  template: `
    <div class="board" v-bind="$attrs" :class="['board-' + shown.kind, {waiting: !ready, enlarged: enlarged}]" role="grid" :tabindex="$attrs.tabindex ?? 0" ref="root"
         :aria-label="shown.label" :aria-rowcount="shown.rows" :aria-colcount="shown.columns"
         :aria-activedescendant="aimed ? cellId(aim[0], aim[1]) : null" :data-ply="shown.now" :data-shown="shown.ply"
         @keydown="press" @focus="aimed = $refs.root.matches(':focus-visible')" @blur="aimed = false" @mouseleave="hover = null">
      <svg :viewBox="box" preserveAspectRatio="xMidYMid meet">
        <rect class="ground" :x="-margin" :y="-margin" :width="width + 2 * margin" :height="height + 2 * margin" rx="16"/>
        <g class="coordinates" aria-hidden="true" :font-size="fontSize">
          <text v-for="(name, c) in shown.column_names" :x="x(0, c)" :y="-beside.above">{{ name }}</text>
          <text v-for="(name, r) in shown.row_names" :x="x(r, 0) - UNIT / 2 - beside.left" :y="y(r)">{{ name }}</text>
        </g>
        <g class="edges" aria-hidden="true" v-if="hexagonal"><path v-for="it in edges" :class="it.side" :d="it.line"/></g>
        <g class="lines" aria-hidden="true" v-if="shown.kind === 'stones'">
          <path :d="stoneLines"/>
          <circle v-for="p in shown.stars" :cx="x(p[0], p[1])" :cy="y(p[0])" r="11"/>
        </g>
        <g class="lines" aria-hidden="true" v-if="shown.kind === 'marks' || shown.kind === 'discs'"><path :d="gridLines"/></g>
        <g role="row" v-for="(row, r) in shown.cells" :key="r">
          <g role="gridcell" v-for="(side, c) in row" :key="c" :id="cellId(r, c)" :aria-label="describe(r, c)"
             :class="cellClass(r, c)" :data-move="shown.moves[r][c]" :aria-selected="isChosen(r, c) ? 'true' : null" @click="tap(r, c, $event)" @mouseenter="hover = [r, c]">
            <path v-if="hexagonal" class="hit" :d="hexagon(r, c, 1)"/>
            <rect v-else class="hit" :x="c * 100" :y="r * 100" width="100" height="100"/>
            <circle v-if="shown.kind === 'drop'" class="hole" :cx="x(r, c)" :cy="y(r)" r="40"/>
            <template v-if="heat(r, c) > 0.02">
              <path v-if="hexagonal" class="heat" :d="hexagon(r, c, 0.94)" :style="heatStyle(r, c)"/>
              <circle v-else-if="shown.kind === 'drop'" class="heat" :cx="x(r, c)" :cy="y(r)" r="40" :style="heatStyle(r, c)"/>
              <rect v-else class="heat" :x="c * 100 + 3" :y="r * 100 + 3" width="94" height="94" rx="8" :style="heatStyle(r, c)"/>
            </template>
            <g v-if="side" :key="pieceKey(r, c)" class="piece" :class="pieceClass(r, c)" :style="pieceStyle(r, c)">
              <template v-if="shown.kind === 'marks'">
                <path v-if="side === 1" class="mark" :d="cross(r, c)"/>
                <circle v-else class="mark" :cx="x(r, c)" :cy="y(r)" r="26"/>
              </template>
              <template v-else>
                <circle class="body" :cx="x(r, c)" :cy="y(r)" :r="radius"/>
                <circle class="shine" :cx="x(r, c) - radius * 0.3" :cy="y(r) - radius * 0.34" :r="radius * 0.45"/>
              </template>
            </g>
            <circle v-if="!number(r, c) && (isTarget(r, c) || (canPlay(r, c) && !side && shown.dotted))" class="dot" :class="{target: isTarget(r, c)}" :cx="x(r, c)" :cy="y(r)" r="11"/>
            <circle v-if="isIn(shown.last, r, c)" class="last" :cx="x(r, c)" :cy="y(r)" r="10"/>
            <circle v-if="isIn(shown.hint, r, c)" class="hint" :cx="x(r, c)" :cy="y(r)" r="36"/>
            <g v-if="number(r, c)" class="number" :class="numberClass(r, c)">
              <circle :cx="x(r, c)" :cy="y(r)" r="38"/>
              <text :x="x(r, c)" :y="y(r)">{{ number(r, c).text }}</text>
            </g>
            <circle v-if="isGhost(r, c)" class="ghost" :class="['first', 'second'][shown.mover]" :cx="x(r, c)" :cy="y(r)" :r="radius"/>
            <circle v-if="isChosen(r, c)" class="chosen" :cx="x(r, c)" :cy="y(r)" r="46"/>
            <template v-if="aimed && aim[0] === r && aim[1] === c">
              <path v-if="hexagonal" class="aim" :d="hexagon(r, c, 0.9)"/>
              <rect v-else class="aim" :x="c * 100 + 5" :y="r * 100 + 5" width="90" height="90" rx="10"/>
            </template>
          </g>
        </g>
        <path v-if="shown.line.length" class="winning" :d="winning"/>
      </svg>
    </div>
    <button v-if="enlarged" class="button quiet whole" type="button" @click="enlarged = null">Whole board</button>`,
  inheritAttrs: false,
  props: { view: Object, playable: Boolean },
  emits: ["choose"],
  data() {
    return {
      UNIT, aim: [0, 0], aimed: false, hover: null,
      chosen: null, // the piece that is to go somewhere
      unconfirmed: null, // the move that waits to be confirmed
      enlarged: null, // the square around which the board is enlarged
      shown: this.view, // the view, or the one before with one's own move
      sent: null, // the ply that one's own move was sent for
      settled: 0, // when that will have been seen, in milliseconds
      waiting: false, // whether a view waits for that
    };
  },
  watch: {
    view: "arrive",
    // After a move the board is another one.
    "shown.ply"() { this.chosen = this.unconfirmed = this.enlarged = null; },
  },
  unmounted() { clearTimeout(this.later); },
  mounted() {
    this.aim = [Math.floor(this.shown.rows / 2), Math.floor(this.shown.columns / 2)];
  },
  computed: {
    hexagonal() { return this.shown.kind === "hexagons"; },
    width() { return (this.shown.columns + (this.hexagonal ? (this.shown.rows - 1) / 2 : 0)) * UNIT; },
    height() { return this.hexagonal ? (this.shown.rows - 1) * HEX_ROW + 2 * CORNER : this.shown.rows * UNIT; },
    fontSize() { return 12 + 1.7 * this.shown.columns; },
    margin() { return Math.max(44, 3.4 * this.shown.columns + 20) + (this.hexagonal ? 0.5 * this.fontSize : 0); },
    // How far the names of rows and columns are from the board; coloured edges need room between.
    beside() {
      if (this.hexagonal) return { above: 16 + 0.7 * this.fontSize, left: 14 + 0.95 * this.fontSize };
      return { above: 0.38 * this.margin, left: 0.5 * this.margin };
    },
    // Whether a click is a move: not while one's own is on its way, nor before the reply is shown.
    ready() { return this.playable && this.sent === null && !this.waiting; },
    box() {
      const m = this.margin;
      if (this.enlarged) {
        const side = ENLARGED * UNIT, within = (at, size) => Math.min(size + m - side, Math.max(-m, at - side / 2));
        const [r, c] = this.enlarged;
        return `${within(this.x(r, c), this.width)} ${within(this.y(r), this.height)} ${side} ${side}`;
      }
      return `${-m} ${-m} ${this.width + 2 * m} ${this.height + 2 * m}`;
    },
    radius() { return this.shown.kind === "stones" ? 44 : 40; },
    gridLines() {
      const inner = this.shown.kind === "marks" ? 1 : 0;
      const parts = [];
      for (let c = inner; c <= this.shown.columns - inner; c++) parts.push(`M${c * UNIT} 0V${this.height}`);
      for (let r = inner; r <= this.shown.rows - inner; r++) parts.push(`M0 ${r * UNIT}H${this.width}`);
      return parts.join("");
    },
    stoneLines() {
      const parts = [];
      for (let c = 0; c < this.shown.columns; c++) parts.push(`M${this.x(0, c)} 50V${this.height - 50}`);
      for (let r = 0; r < this.shown.rows; r++) parts.push(`M50 ${this.y(r)}H${this.width - 50}`);
      return parts.join("");
    },
    winning() { return "M" + this.shown.line.map(([r, c]) => `${this.x(r, c)} ${this.y(r)}`).join("L"); },
    // Whose edge is whose: the side that begins has the top and the bottom, the other the left and the right.
    edges() {
      const rows = [...Array(this.shown.rows).keys()], columns = [...Array(this.shown.columns).keys()];
      const last = { row: this.shown.rows - 1, column: this.shown.columns - 1 };
      const line = (cells, corners) =>
        "M" + cells.flatMap(([r, c]) => corners.map((k) => this.corner(r, c, k, 1).join(" "))).join("L");
      return [
        { side: "first", line: line(columns.map((c) => [0, c]), [5, 0, 1]) },
        { side: "first", line: line(columns.map((c) => [last.row, c]), [4, 3, 2]) },
        { side: "second", line: line(rows.map((r) => [r, 0]), [5, 4, 3]) },
        { side: "second", line: line(rows.map((r) => [r, last.column]), [0, 1, 2]) },
      ];
    },
  },
  methods: {
    // The centre of a square or a hexagon; rows of hexagons each begin half of one further right.
    x(r, c) { return c * UNIT + UNIT / 2 + (this.hexagonal ? r * UNIT / 2 : 0); },
    y(r) { return this.hexagonal ? r * HEX_ROW + CORNER : r * UNIT + UNIT / 2; },
    // Corners of a hexagon clockwise from the top, by a scale.
    corner(r, c, k, scale) {
      const turn = (k * Math.PI) / 3, reach = CORNER * scale;
      return [this.x(r, c) + reach * Math.sin(turn), this.y(r) - reach * Math.cos(turn)].map((it) => Number(it.toFixed(2)));
    },
    hexagon(r, c, scale) {
      return "M" + [0, 1, 2, 3, 4, 5].map((k) => this.corner(r, c, k, scale).join(" ")).join("L") + "Z";
    },
    cellId(r, c) { return `${this.shown.id}-${r}-${c}`; },
    isIn(cells, r, c) { return cells.some((it) => it[0] === r && it[1] === c); },
    heat(r, c) { return this.shown.heat ? this.shown.heat[r][c] : 0; },
    heatStyle(r, c) { return { opacity: 0.08 + 0.72 * this.heat(r, c) }; },
    square(r, c) { return String(r * this.shown.columns + c); },
    // Where a move goes from one square to another: the moves of the piece that was chosen, by where they lead.
    targets() { return this.ready && this.chosen !== null ? this.shown.steps[this.chosen] || {} : {}; },
    isChosen(r, c) { return this.ready && this.chosen === this.square(r, c); },
    isTarget(r, c) { return this.square(r, c) in this.targets(); },
    canMove(r, c) { return this.ready && this.square(r, c) in this.shown.steps; },
    canPlay(r, c) { return this.ready && (this.shown.moves[r][c] !== null || this.canMove(r, c) || this.isTarget(r, c)); },
    // What the move to a square is worth; of a piece that can go to several, the best of its moves until it is chosen.
    number(r, c) {
      const all = this.shown.numbers, square = this.square(r, c);
      if (!all || this.isGhost(r, c)) return null;
      if (this.isTarget(r, c)) return all[this.targets()[square]];
      if (square in this.shown.steps) {
        const own = Object.values(this.shown.steps[square]).filter((it) => it in all).map((it) => all[it]);
        return this.isChosen(r, c) ? null : own.sort((one, other) => one.rank - other.rank)[0];
      }
      const move = this.shown.moves[r][c];
      return move in all && this.landing(move, r, c) === Number(square) ? all[move] : null;
    },
    numberClass(r, c) {
      const { best, rank, text } = this.number(r, c);
      return { best, far: rank >= NEAR, long: text.length > 3, target: this.isTarget(r, c) };
    },
    cellClass(r, c) {
      const over = this.hover && this.hover[0] === r && this.hover[1] === c;
      const sameMove = this.hover && this.shown.moves[r][c] !== null
        && this.shown.moves[this.hover[0]][this.hover[1]] === this.shown.moves[r][c];
      return { cell: true, legal: this.canPlay(r, c), hovered: this.ready && (sameMove || (over && this.canPlay(r, c))) };
    },
    // A piece that was turned is a new element, so that its turn is shown.
    pieceKey(r, c) { return `${this.shown.cells[r][c]}-${this.isIn(this.shown.flips, r, c) ? this.shown.ply : 0}`; },
    pieceClass(r, c) {
      return {
        first: this.shown.cells[r][c] === 1,
        second: this.shown.cells[r][c] === 2,
        placed: this.isIn(this.shown.last, r, c),
        turned: this.isIn(this.shown.flips, r, c),
      };
    },
    // Pieces turn one after the other, outwards from the one that was placed.
    pieceStyle(r, c) {
      const from = this.shown.last[0] || [r, c];
      const distance = Math.max(Math.abs(from[0] - r), Math.abs(from[1] - c));
      return {
        transformOrigin: `${this.x(r, c)}px ${this.y(r)}px`,
        "--delay": `${turnsAfter(distance)}s`,
        "--fall": `${-(r + 1) * UNIT}px`,
      };
    },
    cross(r, c) {
      const x = this.x(r, c), y = this.y(r), d = 25;
      return `M${x - d} ${y - d}L${x + d} ${y + d}M${x + d} ${y - d}L${x - d} ${y + d}`;
    },
    describe(r, c) {
      const what = ["empty", ...this.shown.sides][this.shown.cells[r][c]];
      const last = this.isIn(this.shown.last, r, c) ? ", last move" : "";
      const number = this.number(r, c) ? `, ${this.number(r, c).label}` : "";
      const hint = this.isIn(this.shown.hint, r, c) ? `, ${this.shown.hint_word}` : "";
      return `${this.shown.names[r][c]}, ${what}${this.possible(r, c)}${number}${last}${hint}`;
    },
    possible(r, c) {
      if (this.isGhost(r, c)) return ", chosen: once more to play";
      if (this.isChosen(r, c)) return ", chosen";
      if (this.isTarget(r, c)) return ", the chosen piece can go here";
      if (this.canMove(r, c)) return ", can move";
      return this.canPlay(r, c) ? ", can be played" : "";
    },
    isGhost(r, c) { return this.ready && this.unconfirmed !== null && this.unconfirmed.square === Number(this.square(r, c)); },
    // What a move changes: squares with the side that has them then, first the one that a piece goes to.
    changes(move, r, c) { return this.view.changes[move] || [[Number(this.square(r, c)), this.view.mover + 1]]; },
    landing(move, r, c) { return this.changes(move, r, c)[0][0]; },
    play(move, r, c) {
      const changes = this.changes(move, r, c), ply = this.view.ply;
      const place = (square) => [Math.floor(square / this.view.columns), square % this.view.columns];
      const cells = this.view.cells.map((row) => [...row]);
      const flips = [];
      for (const [square, side] of changes) {
        const [row, column] = place(square);
        if (cells[row][column] && side && square !== changes[0][0]) flips.push([row, column]);
        cells[row][column] = side;
      }
      const last = [place(changes[0][0])];
      this.sent = ply;
      this.show({ ...this.view, cells, flips, last, ply: ply + 1, now: ply + 1, hint: [], heat: null, numbers: null });
      this.settled = performance.now() + 1000 * this.seconds(last[0], flips);
      this.$emit("choose", { move, ply });
    },
    // How long a move takes to be seen.
    seconds(from, flips) {
      if (setting("animation") === "off" || matchMedia("(prefers-reduced-motion: reduce)").matches) return 0.25;
      const furthest = Math.max(0, ...flips.map(([r, c]) => Math.max(Math.abs(from[0] - r), Math.abs(from[1] - c))));
      if (flips.length && this.shown.kind === "discs") return turnsAfter(furthest) + TURN + PAUSE;
      return (this.shown.kind === "drop" ? FALL : APPEAR) + PAUSE;
    },
    // A view of the position before one's own move shows nothing new; one of a reply to it waits its turn.
    arrive() {
      clearTimeout(this.later);
      if (this.sent !== null && this.view.now === this.sent) return;
      const wait = this.view.now > this.shown.now ? this.settled - performance.now() : 0;
      this.waiting = wait > 0;
      if (this.waiting) this.later = setTimeout(this.catchUp, wait);
      else this.catchUp();
    },
    catchUp() {
      this.waiting = false;
      this.sent = null;
      this.show(this.view);
    },
    // The server refused one's own move.
    takeBack() {
      clearTimeout(this.later);
      this.catchUp();
    },
    show(view) {
      if (view.now === this.shown.now + 1 && view.ply === view.now) sound(view.line.length ? "end" : view.flips.length ? "turn" : "place");
      this.shown = view;
    },
    tap(r, c, event) {
      const isSmall = this.$refs.root.getBoundingClientRect().width < FINGER * (this.width / UNIT);
      if (this.ready && isSmall && event.pointerType === "touch" && !this.enlarged) {
        this.aim = this.enlarged = [r, c];
        return;
      }
      this.choose(r, c, false);
    },
    choose(r, c, byKey) {
      this.aim = [r, c];
      this.aimed = byKey;
      if (!this.ready) return;
      const move = this.targets()[this.square(r, c)] || this.shown.moves[r][c];
      if (move && !this.shown.free && setting("confirm") === "on" && this.unconfirmed?.move !== move) this.unconfirmed = { move, square: this.landing(move, r, c) };
      else if (move) this.play(move, r, c);
      else this.chosen = this.canMove(r, c) && !this.isChosen(r, c) ? this.square(r, c) : null;
    },
    press(event) {
      const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
      if (event.key in steps) {
        const [dr, dc] = steps[event.key];
        const within = (value, size) => Math.min(size - 1, Math.max(0, value));
        this.aim = [within(this.aim[0] + dr, this.shown.rows), within(this.aim[1] + dc, this.shown.columns)];
        this.aimed = true;
      } else if (event.key === "Enter" || event.key === " ") {
        this.choose(this.aim[0], this.aim[1], true);
      } else if (event.key === "Escape" && (this.chosen !== null || this.unconfirmed || this.enlarged)) {
        this.chosen = this.unconfirmed = this.enlarged = null;
      } else {
        return;
      }
      event.preventDefault();
    },
  },
};
