import { stripTypeScriptTypes } from 'node:module';

/**
 * Replaces the types with blanks, so that lines and columns stay. @throws SyntaxError. Node strips types with a
 * WebAssembly program that deeply nested code breaks for the lifetime of the thread. The thread then exits.
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
