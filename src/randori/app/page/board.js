// The board: drawn as SVG, played by mouse, touch and keyboard. The server sends a view, we send back a move and the ply it is meant for.
const UNIT = 100;
// Hexagons stand on a corner: a UNIT wide, each row lies three quarters of a height below the one above.
const CORNER = UNIT / Math.sqrt(3);
const HEX_ROW = 1.5 * CORNER;

export default {
  template: `
    <div class="board" :class="['board-' + view.kind, {waiting: !playable}]" role="grid" tabindex="0" ref="root"
         :aria-label="view.label" :aria-rowcount="view.rows" :aria-colcount="view.columns"
         :aria-activedescendant="aimed ? cellId(aim[0], aim[1]) : null" :data-ply="view.now" :data-shown="view.ply"
         @keydown="press" @focus="aimed = $refs.root.matches(':focus-visible')" @blur="aimed = false" @mouseleave="hover = null">
      <svg :viewBox="box" preserveAspectRatio="xMidYMid meet">
        <rect class="ground" :x="-margin" :y="-margin" :width="width + 2 * margin" :height="height + 2 * margin" rx="16"/>
        <g class="coordinates" aria-hidden="true" :font-size="fontSize">
          <text v-for="(name, c) in view.column_names" :x="x(0, c)" :y="-beside.above">{{ name }}</text>
          <text v-for="(name, r) in view.row_names" :x="x(r, 0) - UNIT / 2 - beside.left" :y="y(r)">{{ name }}</text>
        </g>
        <g class="edges" aria-hidden="true" v-if="hexagonal"><path v-for="it in edges" :class="it.side" :d="it.line"/></g>
        <g class="lines" aria-hidden="true" v-if="view.kind === 'stones'">
          <path :d="stoneLines"/>
          <circle v-for="p in view.stars" :cx="x(p[0], p[1])" :cy="y(p[0])" r="11"/>
        </g>
        <g class="lines" aria-hidden="true" v-if="view.kind === 'marks' || view.kind === 'discs'"><path :d="gridLines"/></g>
        <g role="row" v-for="(row, r) in view.cells" :key="r">
          <g role="gridcell" v-for="(side, c) in row" :key="c" :id="cellId(r, c)" :aria-label="describe(r, c)"
             :class="cellClass(r, c)" :data-move="view.moves[r][c]" :aria-selected="isChosen(r, c) ? 'true' : null" @click="choose(r, c, false)" @mouseenter="hover = [r, c]">
            <path v-if="hexagonal" class="hit" :d="hexagon(r, c, 1)"/>
            <rect v-else class="hit" :x="c * 100" :y="r * 100" width="100" height="100"/>
            <circle v-if="view.kind === 'drop'" class="hole" :cx="x(r, c)" :cy="y(r)" r="40"/>
            <template v-if="heat(r, c) > 0.02">
              <path v-if="hexagonal" class="heat" :d="hexagon(r, c, 0.94)" :style="heatStyle(r, c)"/>
              <circle v-else-if="view.kind === 'drop'" class="heat" :cx="x(r, c)" :cy="y(r)" r="40" :style="heatStyle(r, c)"/>
              <rect v-else class="heat" :x="c * 100 + 3" :y="r * 100 + 3" width="94" height="94" rx="8" :style="heatStyle(r, c)"/>
            </template>
            <g v-if="side" :key="pieceKey(r, c)" class="piece" :class="pieceClass(r, c)" :style="pieceStyle(r, c)">
              <template v-if="view.kind === 'marks'">
                <path v-if="side === 1" class="mark" :d="cross(r, c)"/>
                <circle v-else class="mark" :cx="x(r, c)" :cy="y(r)" r="26"/>
              </template>
              <template v-else>
                <circle class="body" :cx="x(r, c)" :cy="y(r)" :r="radius"/>
                <circle class="shine" :cx="x(r, c) - radius * 0.3" :cy="y(r) - radius * 0.34" :r="radius * 0.45"/>
              </template>
            </g>
            <circle v-if="isTarget(r, c) || (canPlay(r, c) && !side && dotted)" class="dot" :class="{target: isTarget(r, c)}" :cx="x(r, c)" :cy="y(r)" r="11"/>
            <circle v-if="isIn(view.last, r, c)" class="last" :cx="x(r, c)" :cy="y(r)" r="10"/>
            <circle v-if="isIn(view.hint, r, c)" class="hint" :cx="x(r, c)" :cy="y(r)" r="36"/>
            <circle v-if="isChosen(r, c)" class="chosen" :cx="x(r, c)" :cy="y(r)" r="46"/>
            <template v-if="aimed && aim[0] === r && aim[1] === c">
              <path v-if="hexagonal" class="aim" :d="hexagon(r, c, 0.9)"/>
              <rect v-else class="aim" :x="c * 100 + 5" :y="r * 100 + 5" width="90" height="90" rx="10"/>
            </template>
          </g>
        </g>
        <path v-if="view.line.length" class="winning" :d="winning"/>
      </svg>
    </div>`,
  props: { view: Object, playable: Boolean },
  data() {
    return { UNIT, aim: [0, 0], aimed: false, hover: null, chosen: null };
  },
  watch: {
    // After a move the board is another one.
    "view.ply"() { this.chosen = null; },
  },
  mounted() {
    this.aim = [Math.floor(this.view.rows / 2), Math.floor(this.view.columns / 2)];
  },
  computed: {
    hexagonal() { return this.view.kind === "hexagons"; },
    width() { return (this.view.columns + (this.hexagonal ? (this.view.rows - 1) / 2 : 0)) * UNIT; },
    height() { return this.hexagonal ? (this.view.rows - 1) * HEX_ROW + 2 * CORNER : this.view.rows * UNIT; },
    fontSize() { return 12 + 1.7 * this.view.columns; },
    margin() { return Math.max(44, 3.4 * this.view.columns + 20) + (this.hexagonal ? 0.5 * this.fontSize : 0); },
    // How far the names of rows and columns are from the board; coloured edges need room between.
    beside() {
      if (this.hexagonal) return { above: 16 + 0.7 * this.fontSize, left: 14 + 0.95 * this.fontSize };
      return { above: 0.38 * this.margin, left: 0.5 * this.margin };
    },
    box() {
      const m = this.margin;
      return `${-m} ${-m} ${this.width + 2 * m} ${this.height + 2 * m}`;
    },
    radius() { return this.view.kind === "stones" ? 44 : 40; },
    // Where every empty square can be played, dots would only be noise.
    dotted() { return this.view.kind === "discs"; },
    gridLines() {
      const inner = this.view.kind === "marks" ? 1 : 0;
      const parts = [];
      for (let c = inner; c <= this.view.columns - inner; c++) parts.push(`M${c * UNIT} 0V${this.height}`);
      for (let r = inner; r <= this.view.rows - inner; r++) parts.push(`M0 ${r * UNIT}H${this.width}`);
      return parts.join("");
    },
    stoneLines() {
      const parts = [];
      for (let c = 0; c < this.view.columns; c++) parts.push(`M${this.x(0, c)} 50V${this.height - 50}`);
      for (let r = 0; r < this.view.rows; r++) parts.push(`M50 ${this.y(r)}H${this.width - 50}`);
      return parts.join("");
    },
    winning() { return "M" + this.view.line.map(([r, c]) => `${this.x(r, c)} ${this.y(r)}`).join("L"); },
    // Whose edge is whose: the side that begins has the top and the bottom, the other the left and the right.
    edges() {
      const rows = [...Array(this.view.rows).keys()], columns = [...Array(this.view.columns).keys()];
      const last = { row: this.view.rows - 1, column: this.view.columns - 1 };
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
    cellId(r, c) { return `${this.view.id}-${r}-${c}`; },
    isIn(cells, r, c) { return cells.some((it) => it[0] === r && it[1] === c); },
    heat(r, c) { return this.view.heat ? this.view.heat[r][c] : 0; },
    heatStyle(r, c) { return { opacity: 0.08 + 0.72 * this.heat(r, c) }; },
    square(r, c) { return String(r * this.view.columns + c); },
    // Where a move goes from one square to another: the moves of the piece that was chosen, by where they lead.
    targets() { return this.playable && this.chosen !== null ? this.view.steps[this.chosen] || {} : {}; },
    isChosen(r, c) { return this.playable && this.chosen === this.square(r, c); },
    isTarget(r, c) { return this.square(r, c) in this.targets(); },
    canMove(r, c) { return this.playable && this.square(r, c) in this.view.steps; },
    canPlay(r, c) { return this.playable && (this.view.moves[r][c] !== null || this.canMove(r, c) || this.isTarget(r, c)); },
    cellClass(r, c) {
      const over = this.hover && this.hover[0] === r && this.hover[1] === c;
      const sameMove = this.hover && this.view.moves[r][c] !== null
        && this.view.moves[this.hover[0]][this.hover[1]] === this.view.moves[r][c];
      return { cell: true, legal: this.canPlay(r, c), hovered: this.playable && (sameMove || (over && this.canPlay(r, c))) };
    },
    // A piece that was turned is a new element, so that its turn is shown.
    pieceKey(r, c) { return `${this.view.cells[r][c]}-${this.isIn(this.view.flips, r, c) ? this.view.ply : 0}`; },
    pieceClass(r, c) {
      return {
        first: this.view.cells[r][c] === 1,
        second: this.view.cells[r][c] === 2,
        placed: this.isIn(this.view.last, r, c),
        turned: this.isIn(this.view.flips, r, c),
      };
    },
    // Pieces turn one after the other, outwards from the one that was placed.
    pieceStyle(r, c) {
      const from = this.view.last[0] || [r, c];
      const distance = Math.max(Math.abs(from[0] - r), Math.abs(from[1] - c));
      return {
        transformOrigin: `${this.x(r, c)}px ${this.y(r)}px`,
        "--delay": `${0.12 + 0.11 * distance}s`,
        "--fall": `${-(r + 1) * UNIT}px`,
      };
    },
    cross(r, c) {
      const x = this.x(r, c), y = this.y(r), d = 25;
      return `M${x - d} ${y - d}L${x + d} ${y + d}M${x + d} ${y - d}L${x - d} ${y + d}`;
    },
    describe(r, c) {
      const what = ["empty", ...this.view.sides][this.view.cells[r][c]];
      const last = this.isIn(this.view.last, r, c) ? ", last move" : "";
      const hint = this.isIn(this.view.hint, r, c) ? `, ${this.view.hint_word}` : "";
      return `${this.view.names[r][c]}, ${what}${this.possible(r, c)}${last}${hint}`;
    },
    possible(r, c) {
      if (this.isChosen(r, c)) return ", chosen";
      if (this.isTarget(r, c)) return ", the chosen piece can go here";
      if (this.canMove(r, c)) return ", can move";
      return this.canPlay(r, c) ? ", can be played" : "";
    },
    choose(r, c, byKey) {
      this.aim = [r, c];
      this.aimed = byKey;
      if (!this.playable) return;
      const move = this.targets()[this.square(r, c)] || this.view.moves[r][c];
      if (move) this.$emit("choose", { move, ply: this.view.ply });
      else this.chosen = this.canMove(r, c) && !this.isChosen(r, c) ? this.square(r, c) : null;
    },
    press(event) {
      const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
      if (event.key in steps) {
        const [dr, dc] = steps[event.key];
        const within = (value, size) => Math.min(size - 1, Math.max(0, value));
        this.aim = [within(this.aim[0] + dr, this.view.rows), within(this.aim[1] + dc, this.view.columns)];
        this.aimed = true;
      } else if (event.key === "Enter" || event.key === " ") {
        this.choose(this.aim[0], this.aim[1], true);
      } else if (event.key === "Escape" && this.chosen !== null) {
        this.chosen = null;
      } else {
        return;
      }
      event.preventDefault();
    },
  },
};
