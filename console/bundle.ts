import react from '@vitejs/plugin-react';
import { build, type Rolldown } from 'vite';
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

/** Bundles the console. Its addresses are relative, because the API may be below a stage: `https://…/dev/console`. */
export async function bundle(root: string): Promise<BuiltFile[]> {
  const built = (await inProduction(() =>
    build({
      ...{ root, configFile: false, base: './', logLevel: 'warn' },
      plugins: [react(), schemaModules()],
      build: {
        ...{ write: false, target: 'es2023', assetsDir: 'console/assets', reportCompressedSize: false },
        // The page allows no inline code, and every browser that supports the syntax preloads modules.
        modulePreload: { polyfill: false },
        assetsInlineLimit: 0,
      },
    }),
  )) as Rolldown.RolldownOutput;
  return built.output.map((file) => ({
    name: file.fileName.replace('console/assets/', ''),
    content: file.type === 'chunk' ? file.code : file.source,
  }));
}
