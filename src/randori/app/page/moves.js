// The moves of a game in pairs, one of which is shown on the board. Its marks stand behind a move, variations below the pair.
// Each move has a number: how many have been made with it on the main line; those of variations come after.
const SIGNS = { inaccuracy: "?!", mistake: "?", blunder: "??", "missed win": "??" };

export default {
  template: `
    <div class="moves" role="listbox" tabindex="0" ref="root" aria-label="Moves" :aria-activedescendant="ply ? 'move-' + ply : null"
         @keydown="press">
      <template v-for="first in firsts" :key="first">
        <div class="pair" role="presentation">
          <span class="number" aria-hidden="true">{{ (first + offset + 1) / 2 }}.</span>
          <span class="gap" aria-hidden="true" v-if="first < 1">\u2026</span>
          <span class="move" role="option" v-for="it in pair(first)" :key="it" :id="'move-' + it" :data-ply="it" :class="{shown: it === ply}"
                :aria-selected="String(it === ply)" :aria-label="describe(it)" @click="$emit('go', it)">{{ moves[it - 1]
            }}<b v-if="marks[it]" class="sign" :class="'mark-' + marks[it].replace(' ', '-')" :title="marks[it]">{{ signs[marks[it]] }}</b></span>
        </div>
        <div class="variation" role="presentation" v-for="line in below(first)" :key="line.moves[0].number" :style="{'--depth': line.depth}">
          <span class="move" role="option" v-for="it in line.moves" :key="it.number" :id="'move-' + it.number" :class="{shown: it.number === ply}"
                :aria-selected="String(it.number === ply)" :aria-label="it.label" @click="$emit('go', it.number)">{{ it.text }}</span>
        </div>
      </template>
    </div>`,
  props: {
    moves: Array, marks: Object, ply: Number, sides: Array,
    offset: { type: Number, default: 0 }, // 1 where the side that usually follows has the first move
    variations: { type: Array, default: () => [] },
    tree: Boolean, // keys are for whoever knows the variations
  },
  emits: ["go", "walk"],
  data() {
    return { signs: SIGNS };
  },
  watch: {
    ply: "reveal",
    "moves.length": "reveal",
  },
  mounted() {
    this.reveal();
    if (this.tree) document.addEventListener("keydown", this.pressedElsewhere);
  },
  unmounted() {
    document.removeEventListener("keydown", this.pressedElsewhere);
  },
  computed: {
    firsts() {
      const firsts = [];
      for (let first = 1 - this.offset; first <= this.moves.length; first += 2) firsts.push(first);
      return firsts;
    },
  },
  methods: {
    pair(first) { return [first, first + 1].filter((ply) => ply > 0 && ply <= this.moves.length); },
    // The variations that replace a move of a pair, with their own.
    below(first) { return this.variations.filter((it) => it.replaces === first || it.replaces === first + 1); },
    describe(ply) {
      return `${ply}, ${this.sides[(ply - 1 + this.offset) % 2]} ${this.moves[ply - 1]}${this.marks[ply] ? ", " + this.marks[ply] : ""}`;
    },
    // Only the list scrolls, never the page.
    reveal() {
      this.$nextTick(() => {
        const root = this.$refs.root, shown = root && root.querySelector(".shown");
        if (!root) return;
        if (!shown) { root.scrollTop = 0; return; }
        const above = shown.offsetTop, below = above + shown.offsetHeight;
        if (above < root.scrollTop) root.scrollTop = above;
        if (below > root.scrollTop + root.clientHeight) root.scrollTop = below - root.clientHeight;
      });
    },
    press(event) {
      if (this.tree) {
        this.walk(event);
        return;
      }
      const last = this.moves.length;
      const steps = { ArrowLeft: this.ply - 1, ArrowRight: this.ply + 1, ArrowUp: this.ply - 2, ArrowDown: this.ply + 2, Home: 0, End: last };
      if (!(event.key in steps) || event.ctrlKey || event.metaKey || event.altKey) return;
      this.$emit("go", Math.min(last, Math.max(0, steps[event.key])));
      event.preventDefault();
    },
    walk(event) {
      const keys = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"];
      if (!keys.includes(event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
      this.$emit("walk", event.key);
      event.preventDefault();
    },
    // Left and right mean the same wherever nobody else needs them.
    pressedElsewhere(event) {
      const taken = event.target.closest("input, textarea, select, [role=grid], [role=listbox], [role=radiogroup]");
      if (!taken && ["ArrowLeft", "ArrowRight"].includes(event.key)) this.walk(event);
    },
  },
};
