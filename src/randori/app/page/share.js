// A link of this server that one can give away: shared by a phone's own menu where there is one, copied elsewhere.
const COPIED_FOR = 2500;

export default {
  template: `
    <div class="share">
      <input v-if="field" type="text" readonly :value="url" aria-label="Link" @focus="$event.target.select()"/>
      <button type="button" class="button" :class="look" :id="name" @click="give">{{ copied ? "Link copied" : label }}</button>
      <span class="unseen" role="status">{{ copied ? "The link is on the clipboard." : "" }}</span>
      <p v-if="field && isLocal" class="note">This address works on this machine only. For other devices start
        <code>randori play --host 0.0.0.0</code> and open the page at the address that it prints.</p>
    </div>`,
  props: { path: String, label: String, name: String, look: String, field: Boolean },
  data() {
    return { copied: false };
  },
  computed: {
    url() { return location.origin + this.path; },
    isLocal() { return ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname); },
  },
  unmounted() { clearTimeout(this.later); },
  methods: {
    async give() {
      if (navigator.share && matchMedia("(pointer: coarse)").matches) {
        try {
          await navigator.share({ url: this.url });
          return;
        } catch (error) {
          if (error.name === "AbortError") return; // the person has changed their mind
        }
      }
      await this.copy();
      this.copied = true;
      clearTimeout(this.later);
      this.later = setTimeout(() => { this.copied = false; }, COPIED_FOR);
    },
    // Without https browsers have no clipboard but the old one, which copies what is selected.
    async copy() {
      try {
        await navigator.clipboard.writeText(this.url);
      } catch {
        const area = document.createElement("textarea");
        area.value = this.url;
        document.body.append(area);
        area.select();
        document.execCommand("copy");
        area.remove();
      }
    },
  },
};
