import { readFile } from 'node:fs/promises';
import type { BuildOptions, Plugin } from 'esbuild';

/** CommonJS packages in an ES module still use these. */
export const banner = `import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url), __dirname = import.meta.dirname;`;

/** Of all builds for Lambda. */
export const forLambda = {
  platform: 'node',
  target: 'node24',
  format: 'esm',
  outExtension: { '.js': '.mjs' },
  mainFields: ['module', 'main'],
  // An optional native module of piscina, which cannot be bundled.
  external: ['@napi-rs/nice'],
  logLevel: 'error',
} satisfies BuildOptions;

/**
 * Middy needs the status texts of `node:http`. An ES import of that module makes Node load all its exports, including
 * undici: 15 ms of a cold start.
 */
export const lightHttp: Plugin = {
  name: 'light-http',
  setup({ onResolve, onLoad }) {
    // D153
    onResolve({ filter: /^node:http$/ }, ({ importer, path }) =>
      importer.includes('@middy') ? { path, namespace: 'light-http' } : null,
    );
    onLoad({ filter: /.*/, namespace: 'light-http' }, () => ({
      contents: "export const { STATUS_CODES } = process.getBuiltinModule('node:http');",
    }));
  },
};

/** Packages import zod's object `z`, whose members a bundle cannot leave out. They are those of the module itself. */
export const zodNamespace: Plugin = {
  name: 'zod-namespace',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]node_modules[\\/]@ai-sdk[\\/].*\.m?js$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll(
        /^import \{ z(?: as ([\w$]+))? \} from "zod\/v4";$/gm,
        // D152
        (_, name = 'z') => `import * as ${name} from "zod/v4";`,
      ),
    }));
  },
};
