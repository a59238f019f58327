// The board: drawn as SVG, played by mouse, touch and keyboard. The server sends a view, we send back a move's name.
const UNIT = 100;

export default {
  template: `
    <div class="board" :class="['board-' + view.kind, {waiting: !playable}]" role="grid" tabindex="0" ref="root"
         :aria-label="view.label" :aria-rowcount="view.rows" :aria-colcount="view.columns"
         :aria-activedescendant="aimed ? cellId(aim[0], aim[1]) : null" :data-ply="view.ply"
         @keydown="press" @focus="aimed = $refs.root.matches(':focus-visible')" @blur="aimed = false" @mouseleave="hover = null">
      <svg :viewBox="box" preserveAspectRatio="xMidYMid meet">
        <rect class="ground" :x="-margin" :y="-margin" :width="width + 2 * margin" :height="height + 2 * margin" rx="16"/>
        <g class="coordinates" aria-hidden="true" :font-size="12 + 1.7 * view.columns">
          <text v-for="(name, c) in view.column_names" :x="centre(c)" :y="-margin * 0.38">{{ name }}</text>
          <text v-for="(name, r) in view.row_names" :x="-margin * 0.5" :y="centre(r)">{{ name }}</text>
        </g>
        <g class="lines" aria-hidden="true" v-if="view.kind === 'stones'">
          <path :d="stoneLines"/>
          <circle v-for="p in view.stars" :cx="centre(p[1])" :cy="centre(p[0])" r="11"/>
        </g>
        <g class="lines" aria-hidden="true" v-if="view.kind === 'marks' || view.kind === 'discs'"><path :d="gridLines"/></g>
        <g role="row" v-for="(row, r) in view.cells" :key="r">
          <g role="gridcell" v-for="(side, c) in row" :key="c" :id="cellId(r, c)" :aria-label="describe(r, c)"
             :class="cellClass(r, c)" :data-move="moveTo(r, c)" @click="choose(r, c, false)" @mouseenter="hover = [r, c]">
            <rect class="hit" :x="c * 100" :y="r * 100" width="100" height="100"/>
            <circle v-if="view.kind === 'drop'" class="hole" :cx="centre(c)" :cy="centre(r)" r="40"/>
            <rect v-if="heat(r, c) > 0.02 && view.kind !== 'drop'" class="heat" :x="c * 100 + 3" :y="r * 100 + 3"
                  width="94" height="94" rx="8" :style="{opacity: 0.08 + 0.72 * heat(r, c)}"/>
            <circle v-if="heat(r, c) > 0.02 && view.kind === 'drop'" class="heat" :cx="centre(c)" :cy="centre(r)" r="40"
                  :style="{opacity: 0.08 + 0.72 * heat(r, c)}"/>
            <g v-if="side" :key="pieceKey(r, c)" class="piece" :class="pieceClass(r, c)" :style="pieceStyle(r, c)">
              <template v-if="view.kind === 'marks'">
                <path v-if="side === 1" class="mark" :d="cross(r, c)"/>
                <circle v-else class="mark" :cx="centre(c)" :cy="centre(r)" r="26"/>
              </template>
              <template v-else>
                <circle class="body" :cx="centre(c)" :cy="centre(r)" :r="radius"/>
                <circle class="shine" :cx="centre(c) - radius * 0.3" :cy="centre(r) - radius * 0.34" :r="radius * 0.45"/>
              </template>
            </g>
            <circle v-if="canPlay(r, c) && !side && dotted" class="dot" :cx="centre(c)" :cy="centre(r)" r="11"/>
            <circle v-if="endsStep(r, c)" class="end" :cx="centre(c)" :cy="centre(r)" :r="side ? 30 : 14"/>
            <circle v-if="isIn(view.last, r, c)" class="last" :cx="centre(c)" :cy="centre(r)" r="10"/>
            <circle v-if="isIn(view.hint, r, c)" class="hint" :cx="centre(c)" :cy="centre(r)" r="36"/>
            <rect v-if="aimed && aim[0] === r && aim[1] === c" class="aim" :x="c * 100 + 5" :y="r * 100 + 5"
                  width="90" height="90" rx="10"/>
          </g>
        </g>
        <path v-if="view.line.length" class="winning" :d="winning"/>
      </svg>
    </div>`,
  props: { view: Object, playable: Boolean },
  data() {
    return { aim: [0, 0], aimed: false, hover: null, taken: null };
  },
  watch: {
    "view.ply"() { this.taken = null; },
  },
  mounted() {
    this.aim = [Math.floor(this.view.rows / 2), Math.floor(this.view.columns / 2)];
  },
  computed: {
    width() { return this.view.columns * UNIT; },
    height() { return this.view.rows * UNIT; },
    margin() { return Math.max(44, 3.4 * this.view.columns + 20); },
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
      for (let c = 0; c < this.view.columns; c++) parts.push(`M${this.centre(c)} 50V${this.height - 50}`);
      for (let r = 0; r < this.view.rows; r++) parts.push(`M50 ${this.centre(r)}H${this.width - 50}`);
      return parts.join("");
    },
    winning() {
      const ends = [this.view.line[0], this.view.line[this.view.line.length - 1]];
      return "M" + ends.map(([r, c]) => `${this.centre(c)} ${this.centre(r)}`).join("L");
    },
  },
  methods: {
    centre(i) { return i * UNIT + UNIT / 2; },
    cellId(r, c) { return `${this.view.id}-${r}-${c}`; },
    isIn(cells, r, c) { return cells.some((it) => it[0] === r && it[1] === c); },
    heat(r, c) { return this.view.heat ? this.view.heat[r][c] : 0; },
    number(r, c) { return r * this.view.columns + c; },
    // The move that a click means now: where a move is a step, a first click takes a piece up and a second puts it down.
    moveTo(r, c) { return this.view.moves[r][c] ?? this.view.steps[this.taken]?.[this.number(r, c)] ?? null; },
    beginsStep(r, c) { return this.number(r, c) in this.view.steps; },
    endsStep(r, c) { return this.playable && this.taken !== null && this.moveTo(r, c) !== null; },
    canPlay(r, c) { return this.playable && (this.moveTo(r, c) !== null || this.beginsStep(r, c)); },
    cellClass(r, c) {
      const hovered = this.hover && this.moveTo(r, c) !== null
        && this.moveTo(this.hover[0], this.hover[1]) === this.moveTo(r, c);
      const taken = this.taken === this.number(r, c);
      return { cell: true, legal: this.canPlay(r, c), hovered: this.playable && hovered, taken };
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
        transformOrigin: `${this.centre(c)}px ${this.centre(r)}px`,
        "--delay": `${0.12 + 0.11 * distance}s`,
        "--fall": `${-(r + 1) * UNIT}px`,
      };
    },
    cross(r, c) {
      const x = this.centre(c), y = this.centre(r), d = 25;
      return `M${x - d} ${y - d}L${x + d} ${y + d}M${x + d} ${y - d}L${x - d} ${y + d}`;
    },
    describe(r, c) {
      const what = ["empty", ...this.view.sides][this.view.cells[r][c]];
      const last = this.isIn(this.view.last, r, c) ? ", last move" : "";
      const hint = this.isIn(this.view.hint, r, c) ? ", hint" : "";
      const taken = this.taken === this.number(r, c) ? ", taken up" : "";
      return `${this.view.names[r][c]}, ${what}${taken}${this.canPlay(r, c) ? ", can be played" : ""}${last}${hint}`;
    },
    choose(r, c, byKey) {
      this.aim = [r, c];
      this.aimed = byKey;
      if (!this.canPlay(r, c)) this.taken = null;
      else if (this.moveTo(r, c) !== null) this.$emit("choose", this.moveTo(r, c));
      else this.taken = this.taken === this.number(r, c) ? null : this.number(r, c);
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
      } else {
        return;
      }
      event.preventDefault();
    },
  },
};
