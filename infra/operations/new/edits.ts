import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OperationError } from '../deployment/operation.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
export const read = (path: string) => readFileSync(root + path, 'utf8');
const exists = (path: string) => existsSync(root + path);

/** A change of the checkout: all of it is written, or nothing. */
export interface Edits {
  create: (path: string, text: string) => void;
  /** Inserts a line behind the last line that matches. */
  insertAfter: (path: string, line: RegExp, text: string) => void;
  replace: (path: string, pattern: RegExp, by: string) => void;
  /** @returns the paths, new files first. */
  write: () => string[];
}

export function edits(): Edits {
  const texts = new Map<string, string>();
  const textOf = (path: string) => texts.get(path) ?? read(path);
  return {
    create(path, text) {
      if (exists(path)) throw new OperationError(`${path} exists already. Choose another name.`);
      texts.set(path, text);
    },
    insertAfter(path, line, text) {
      const lines = textOf(path).split('\n');
      const at = lines.findLastIndex((each) => line.test(each));
      if (at < 0) throw new OperationError(`${path} has no line like ${line}. Add it by hand: ${text}`);
      texts.set(path, lines.toSpliced(at + 1, 0, text).join('\n'));
    },
    replace(path, pattern, by) {
      const before = textOf(path);
      if (!pattern.test(before)) throw new OperationError(`${path} has no ${pattern}. Change it by hand.`);
      texts.set(path, before.replace(pattern, by));
    },
    write() {
      const paths = [...texts.keys()].toSorted((one, other) => Number(exists(one)) - Number(exists(other)));
      for (const path of paths) {
        mkdirSync(dirname(root + path), { recursive: true });
        writeFileSync(root + path, texts.get(path) ?? '');
      }
      // Sorts the imports.
      const biome = `${root}node_modules/@biomejs/biome/bin/biome`;
      execFileSync(process.execPath, [biome, 'check', '--write', ...paths], { cwd: root, stdio: 'pipe' });
      return paths;
    },
  };
}

/** @throws OperationError unless the name is of lower-case words with hyphens, as those of files and ids are. */
export function checkName(what: string, name: string): void {
  if (/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(name) && name.length <= 40) return;
  throw new OperationError(
    `"${name}" is no name of ${what}: use lower-case words with hyphens, such as last-run, of up to 40 characters.`,
  );
}

export const camelCase = (name: string) => name.replaceAll(/-(\w)/g, (_, letter) => letter.toUpperCase());
export const words = (name: string) => name.replaceAll('-', ' ');
