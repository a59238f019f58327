// The moves of a game in pairs, one of which is shown on the board. Its marks stand behind a move.
const SIGNS = { inaccuracy: "?!", mistake: "?", blunder: "??", "missed win": "??" };

export default {
  template: `
    <div class="moves" role="listbox" tabindex="0" ref="root" aria-label="Moves" :aria-activedescendant="ply ? 'move-' + ply : null"
         @keydown="press">
      <div class="pair" role="presentation" v-for="first in firsts" :key="first">
        <span class="number" aria-hidden="true">{{ (first + 1) / 2 }}.</span>
        <span class="move" role="option" v-for="it in pair(first)" :key="it" :id="'move-' + it" :data-ply="it" :class="{shown: it === ply}"
              :aria-selected="String(it === ply)" :aria-label="told(it)" @click="$emit('go', it)">{{ moves[it - 1]
          }}<b v-if="marks[it]" class="sign" :class="'mark-' + marks[it].replace(' ', '-')" :title="marks[it]">{{ signs[marks[it]] }}</b></span>
      </div>
    </div>`,
  props: { moves: Array, marks: Object, ply: Number, sides: Array },
  emits: ["go"],
  data() {
    return { signs: SIGNS };
  },
  watch: {
    ply: "reveal",
    "moves.length": "reveal",
  },
  mounted() { this.reveal(); },
  computed: {
    firsts() { return this.moves.map((_, i) => i + 1).filter((ply) => ply % 2 === 1); },
  },
  methods: {
    pair(first) { return [first, first + 1].filter((ply) => ply <= this.moves.length); },
    told(ply) {
      return `${ply}, ${this.sides[(ply - 1) % 2]} ${this.moves[ply - 1]}${this.marks[ply] ? ", " + this.marks[ply] : ""}`;
    },
    // Only the list scrolls, never the page.
    reveal() {
      this.$nextTick(() => {
        const root = this.$refs.root, shown = root && root.querySelector(".shown");
        if (!root) return;
        if (!shown) { root.scrollTop = 0; return; }
        const row = shown.parentElement, above = row.offsetTop, below = above + row.offsetHeight;
        if (above < root.scrollTop) root.scrollTop = above;
        if (below > root.scrollTop + root.clientHeight) root.scrollTop = below - root.clientHeight;
      });
    },
    press(event) {
      const last = this.moves.length;
      const steps = { ArrowLeft: this.ply - 1, ArrowRight: this.ply + 1, ArrowUp: this.ply - 2, ArrowDown: this.ply + 2, Home: 0, End: last };
      if (!(event.key in steps) || event.ctrlKey || event.metaKey || event.altKey) return;
      this.$emit("go", Math.min(last, Math.max(0, steps[event.key])));
      event.preventDefault();
    },
  },
};
