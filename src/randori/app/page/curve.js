// The course of a game: the chance of the side that began after every move. A slider over the moves, by mouse, touch and keys.
const WIDTH = 320, HEIGHT = 116, EDGE = 8, LEAST_STEPS = 8;

export default {
  template: `
    <div class="curve" role="slider" tabindex="0" ref="root" aria-label="Course of the game, move by move" aria-valuemin="0"
         :aria-valuemax="last" :aria-valuenow="at" :aria-valuetext="describe(at)" @keydown="press" @pointerdown="grab"
         @pointermove="point" @pointerup="dragged = false" @pointercancel="dragged = false" @pointerleave="hover = null">
      <svg class="graph" :viewBox="box" ref="graph" aria-hidden="true">
        <rect class="paper" :width="WIDTH" :height="HEIGHT" rx="8"/>
        <path class="middle" :d="'M' + EDGE + ' ' + HEIGHT / 2 + 'H' + (WIDTH - EDGE)"/>
        <polygon class="area" v-if="known.length > 1" :points="area"/>
        <path class="here" :d="'M' + x(at) + ' ' + EDGE + 'V' + (HEIGHT - EDGE)"/>
        <path class="pointed" v-if="hover !== null" :d="'M' + x(hover) + ' ' + EDGE + 'V' + (HEIGHT - EDGE)"/>
        <polyline class="line" :points="line"/>
        <circle v-for="it in marked" class="mark-dot" :class="'mark-' + it.mark" :cx="x(it.ply)" :cy="y(it.ply)" r="3.6"/>
        <circle class="now" v-if="has(at)" :cx="x(at)" :cy="y(at)" r="4.6"/>
        <text :x="EDGE + 4" y="20">{{ sides[0] }}</text>
        <text :x="EDGE + 4" :y="HEIGHT - 12">{{ sides[1] }}</text>
      </svg>
      <p class="curve-caption" aria-hidden="true">{{ describe(hover === null ? at : hover) }}</p>
    </div>`,
  props: { chances: Array, marks: Object, moves: Array, ply: Number, sides: Array, everywhere: Boolean },
  emits: ["go"],
  data() {
    return { WIDTH, HEIGHT, EDGE, at: this.ply, hover: null, dragged: false };
  },
  watch: {
    ply(ply) { this.at = ply; },
  },
  mounted() {
    if (this.everywhere) document.addEventListener("keydown", this.pressedElsewhere);
  },
  unmounted() {
    document.removeEventListener("keydown", this.pressedElsewhere);
  },
  computed: {
    box() { return `0 0 ${WIDTH} ${HEIGHT}`; },
    last() { return this.moves.length; },
    known() { return this.chances.map((_, ply) => ply).filter(this.has); },
    line() { return this.known.map((ply) => `${this.x(ply)},${this.y(ply)}`).join(" "); },
    area() {
      const ends = [this.known[0], this.known[this.known.length - 1]].map((ply) => `${this.x(ply)},${HEIGHT / 2}`);
      return `${ends[0]} ${this.line} ${ends[1]}`;
    },
    marked() {
      const plies = Object.keys(this.marks).map(Number).filter(this.has);
      return plies.map((ply) => ({ ply, mark: this.marks[ply].replace(" ", "-") }));
    },
  },
  methods: {
    has(ply) { return typeof this.chances[ply] === "number"; },
    x(ply) { return Number((EDGE + ((WIDTH - 2 * EDGE) * ply) / Math.max(this.last, LEAST_STEPS)).toFixed(1)); },
    y(ply) { return Number((EDGE + (HEIGHT - 2 * EDGE) * (1 - this.chances[ply])).toFixed(1)); },
    describe(ply) {
      const mark = this.marks[ply] ? `, ${this.marks[ply]}` : "";
      const move = ply ? `${ply}. ${this.moves[ply - 1]}${mark}` : "Before the first move";
      return this.has(ply) ? `${move}: ${this.sides[0]} ${Math.round(100 * this.chances[ply])}%` : move;
    },
    plyAt(event) {
      const place = this.$refs.graph.getBoundingClientRect();
      const share = ((event.clientX - place.left) / place.width * WIDTH - EDGE) / (WIDTH - 2 * EDGE);
      return this.within(Math.round(share * Math.max(this.last, LEAST_STEPS)));
    },
    within(ply) { return Math.min(this.last, Math.max(0, ply)); },
    grab(event) {
      this.dragged = true;
      this.go(this.plyAt(event));
    },
    point(event) {
      this.hover = this.plyAt(event);
      if (this.dragged) this.go(this.hover);
    },
    go(ply) {
      if (ply === this.at) return;
      this.at = ply;
      this.$emit("go", ply);
    },
    press(event) {
      const steps = { ArrowLeft: this.at - 1, ArrowDown: this.at - 1, ArrowRight: this.at + 1, ArrowUp: this.at + 1, Home: 0, End: this.last };
      if (!(event.key in steps) || event.ctrlKey || event.metaKey || event.altKey) return;
      this.go(this.within(steps[event.key]));
      event.preventDefault();
    },
    // Left and right mean the same wherever nobody else needs them.
    pressedElsewhere(event) {
      const taken = event.target.closest("input, textarea, select, [role=grid], [role=slider], [role=listbox], [role=radiogroup]");
      if (!taken && ["ArrowLeft", "ArrowRight"].includes(event.key)) this.press(event);
    },
  },
};
