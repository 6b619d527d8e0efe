import { defineConfig } from "vite";

const folder = import.meta.dirname;
const entries = ["claim", "create", "legacy"];

/** Static files that the API serves below /{gift_prefix}/assets/, found by dist/manifest.json. */
export default defineConfig({
  root: folder,
  base: "./",
  publicDir: false,
  resolve: {
    // One copy of each library that signs or hashes. Other packages bring copies of their own.
    alias: {
      "@noble/curves": `${folder}/../node_modules/@noble/curves/esm`,
      "@noble/hashes": `${folder}/../node_modules/@noble/curves/node_modules/@noble/hashes/esm`,
    },
  },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2022",
    manifest: "manifest.json",
    assetsInlineLimit: 0, // the page's policy allows no data: fonts or styles
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: Object.fromEntries(entries.map((name) => [name, `${folder}/src/${name}.ts`])),
      // The provider's packages do not declare it, but unused parts of them can be left out.
      treeshake: { moduleSideEffects: (id) => !id.includes("/node_modules/@turnkey/") },
    },
  },
});
