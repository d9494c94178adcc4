// VitePress' own theme without its web font, our colours, and the playground, which loads its engine only on its page.

import { useData, type Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme-without-fonts'
import { defineAsyncComponent, h, onMounted, watch } from 'vue'

import './style.css'

const TREE = `<b>^root</b>
├─ <b>^sys</b>  above every turn
├─ <b>^seq</b>  sealed turns, oldest first
│  └─ turn
│     ├─ before   a plan, a record
│     ├─ core     user, assistant,
│     │           calls and results
│     └─ after    documents, notes
└─ <b>^ah</b>   this turn, until a commit`

/** Pages of other layouts than a document's have no `main`, which people jump to with a screen reader. */
function markMain(layout: unknown): void {
  const content = document.getElementById('VPContent')
  if (layout === undefined || layout === 'doc') content?.removeAttribute('role')
  else content?.setAttribute('role', 'main')
}

const theme: Theme = {
  extends: DefaultTheme,
  Layout: {
    setup() {
      const { frontmatter } = useData()
      onMounted(() => watch(() => frontmatter.value['layout'], markMain, { immediate: true, flush: 'post' }))
      return () =>
        h(DefaultTheme.Layout, undefined, {
          'home-hero-image': () => h('pre', { class: 'tree-of-pact', innerHTML: TREE, tabindex: 0 }),
        })
    },
  },
  enhanceApp({ app }) {
    app.component(
      'Playground',
      defineAsyncComponent(() => import('../../playground/Playground.vue')),
    )
  },
}

export default theme
