import { stripTypeScriptTypes } from 'node:module';

/** Keeps lines and columns. Deep nesting can break Node's WebAssembly: the thread exits. @throws SyntaxError */
export function stripTypes(code: string): string {
  try {
    return stripTypeScriptTypes(code);
  } catch (error) {
    const { code: reason, message } = error as NodeJS.ErrnoException;
    if (!reason?.endsWith('_TYPESCRIPT_SYNTAX')) process.exit(1);
    throw new SyntaxError(message);
  }
}
