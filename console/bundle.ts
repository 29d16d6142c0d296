import { isAbsolute } from 'node:path';
import react from '@vitejs/plugin-react';
import { build, type Plugin, type Rolldown } from 'vite';
import { schemaModules } from './plugins/schemas.ts';

export interface BuiltFile {
  name: string;
  content: string | Uint8Array;
}

/** Vite and React decide by this variable, and vitest sets it to `test`. */
async function inProduction<Result>(work: () => Promise<Result>): Promise<Result> {
  const { NODE_ENV } = process.env;
  process.env.NODE_ENV = 'production';
  try {
    return await work();
  } finally {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = NODE_ENV;
  }
}

export interface Bundle {
  files: BuiltFile[];
  /** The paths of the sources that the files were made of. */
  inputs: string[];
}

/** Bundles the console. Its addresses are relative, because the API may be below a stage: `https://…/dev/console`. */
export async function bundleConsole(root: string): Promise<Bundle> {
  const inputs = new Set<string>();
  const built = (await inProduction(() =>
    build({
      root,
      configFile: false,
      base: './',
      logLevel: 'warn',
      plugins: [react(), schemaModules(), sourcesInto(inputs)],
      build: {
        write: false,
        target: 'es2023',
        assetsDir: 'console/assets',
        reportCompressedSize: false,
        // The page allows no inline code, and every browser that supports the syntax preloads modules.
        modulePreload: { polyfill: false },
        assetsInlineLimit: 0,
      },
    }),
  )) as Rolldown.RolldownOutput;
  const files = built.output.map((file) => ({
    name: file.fileName.replace('console/assets/', ''),
    content: file.type === 'chunk' ? file.code : file.source,
  }));
  return { files, inputs: [...inputs].toSorted() };
}

/** Collects the files of the module graph. Libraries are not among them: the lock file says which they are. */
const sourcesInto = (inputs: Set<string>): Plugin => ({
  name: 'sources',
  enforce: 'pre',
  transform(code, id) {
    if (id.endsWith('.css') && code.includes('@import'))
      this.error('A module imports the style sheet instead: the graph has no imports of style sheets');
  },
  buildEnd() {
    for (const id of this.getModuleIds()) {
      const path = id.replace(/\?.*/, '');
      if (isAbsolute(path) && !path.includes('/node_modules/')) inputs.add(path);
    }
  },
});
