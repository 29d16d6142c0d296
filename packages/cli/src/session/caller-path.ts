import { resolve } from 'node:path';

/** Relative paths are those of the caller: npm changes to the folder of the package. */
export const callerPath = (path: string) => resolve(process.env.INIT_CWD ?? process.cwd(), path);
