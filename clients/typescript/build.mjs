/** Builds the package into `dist`: `npm run build`. */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import openapi, { astToString } from "openapi-typescript";

const folder = import.meta.dirname;
const project = `${folder}/../..`;
/** Messages that are printed. */
const PRINTED = /^(estate|greeting|print|record|sheet)-[a-z0-9-]+ = .+$/gm;

// -- what comes from elsewhere in the project

mkdirSync(`${folder}/src/generated`, { recursive: true });
const document = JSON.parse(readFileSync(`${project}/tests/golden/openapi.json`, "utf8"));
const schema = astToString(await openapi(document, { defaultNonNullable: false }));
writeFileSync(`${folder}/src/generated/schema.ts`, schema);
copyFileSync(`${project}/reminder_worker/gifts/occasions.json`, `${folder}/src/generated/occasions.json`);

// -- the package

copyFileSync(`${project}/LICENSE`, `${folder}/LICENSE`);
rmSync(`${folder}/dist`, { recursive: true, force: true });
execFileSync(`${project}/node_modules/.bin/tsc`, ["-p", folder], { stdio: "inherit" });
for (const name of ["fonts.css", "output.css"]) {
  copyFileSync(`${folder}/src/printables/${name}`, `${folder}/dist/printables/${name}`);
}
// Compilers that check all types refuse an import of CSS: it is left to the `.js` file.
for (const name of readdirSync(`${folder}/dist/printables`).filter((each) => each.endsWith(".d.ts"))) {
  const file = `${folder}/dist/printables/${name}`;
  writeFileSync(file, readFileSync(file, "utf8").replace(/^import "[^"]+\.css";\n/gm, ""));
}
mkdirSync(`${folder}/dist/languages`);
for (const language of readdirSync(`${project}/gift_page/languages`)) {
  const catalogues = ["claim", "give", "estate"].map((name) =>
    readFileSync(`${project}/gift_page/languages/${language}/${name}.ftl`, "utf8"),
  );
  const printed = catalogues.flatMap((text) => text.match(PRINTED) ?? []).join("\n");
  const made = `new Speech(${JSON.stringify(language)}, [${JSON.stringify(printed)}])`;
  const module = `import { Speech } from "../speech.js";\nexport default ${made};\n`;
  writeFileSync(`${folder}/dist/languages/${language}.js`, module);
  const types = 'import { Speech } from "../speech.js";\ndeclare const words: Speech;\nexport default words;\n';
  writeFileSync(`${folder}/dist/languages/${language}.d.ts`, types);
}
