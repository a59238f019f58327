// Options of which one is chosen, each as a tile. The server sends what is in them, we send back the one that was pressed.
// As with every group of radio buttons, Tab leads to the chosen one and arrow keys choose another.
const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

export default {
  template: `
    <div class="tiles" role="radiogroup" :aria-label="label" ref="root" @keydown="press">
      <button v-for="it in tiles" :key="it.value" class="tile" type="button" role="radio" :data-value="it.value"
              :aria-checked="String(it.value === chosen)" :tabindex="it.value === entry ? 0 : -1"
              @click="$emit('choose', it.value)" v-html="it.content"></button>
    </div>`,
  props: { label: String, tiles: Array, chosen: String },
  emits: ["choose"],
  computed: {
    entry() { return (this.tiles.find((it) => it.value === this.chosen) || this.tiles[0])?.value; },
  },
  methods: {
    press(event) {
      const step = STEPS[event.key], n = this.tiles.length;
      if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      const here = this.tiles.findIndex((it) => it.value === event.target.closest(".tile")?.dataset.value);
      const next = (here + step + n) % n;
      this.$refs.root.querySelectorAll(".tile")[next].focus();
      this.$emit("choose", this.tiles[next].value);
    },
  },
};
