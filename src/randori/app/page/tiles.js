// Options of which one is chosen, each as a tile. The server sends what is in them, we send back the one that was pressed.
export default {
  template: `
    <div class="tiles" role="radiogroup" :aria-label="label">
      <button v-for="it in tiles" :key="it.value" class="tile" type="button" role="radio" :data-value="it.value"
              :aria-checked="String(it.value === chosen)" @click="$emit('choose', it.value)" v-html="it.content"></button>
    </div>`,
  props: { label: String, tiles: Array, chosen: String },
};
