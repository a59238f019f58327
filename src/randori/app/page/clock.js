// The time that one side has left. The server says how much, and whether it runs; the browser counts down by itself.
const LOW = 20; // seconds from which on it is urgent
const TENTHS = 10; // and tenths are shown

export default {
  template: `<span class="clock" role="timer" :class="{runs, low: seconds < ${LOW}}" :aria-label="label + ', ' + shown">{{ shown }}</span>`,
  props: { left: Number, runs: Boolean, sent: Number, label: String },
  data() {
    return { seconds: this.left, from: performance.now() };
  },
  watch: {
    sent: "begin",
  },
  mounted() { this.begin(); },
  unmounted() { clearInterval(this.ticking); },
  computed: {
    shown() {
      if (this.seconds < TENTHS) return `0:0${(Math.floor(this.seconds * 10) / 10).toFixed(1)}`;
      const whole = Math.floor(this.seconds);
      const parts = whole < 3600 ? [Math.floor(whole / 60)] : [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
      return [...parts, whole % 60].map((it, place) => (place ? String(it).padStart(2, "0") : it)).join(":");
    },
  },
  methods: {
    begin() {
      clearInterval(this.ticking);
      this.from = performance.now();
      this.seconds = this.left;
      if (this.runs) this.ticking = setInterval(this.tick, 100);
    },
    tick() { this.seconds = Math.max(0, this.left - (performance.now() - this.from) / 1000); },
  },
};
