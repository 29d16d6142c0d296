import { stripTypeScriptTypes } from 'node:module';

/**
 * The code with blanks in place of its types, so that lines and columns stay. @throws SyntaxError
 *
 * Node strips types with a WebAssembly program, which deeply nested code breaks for the rest of a thread's life. The
 * thread ends itself then.
 */
export function stripTypes(code: string): string {
  try {
    return stripTypeScriptTypes(code);
  } catch (error) {
    const { code: reason, message } = error as NodeJS.ErrnoException;
    if (!reason?.endsWith('_TYPESCRIPT_SYNTAX')) process.exit(1);
    throw new SyntaxError(message);
  }
}
