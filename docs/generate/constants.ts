import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A constant of the code: its name, and a part of the path of its file if several files have one of that name. */
export type ConstantName = string | { name: string; in: string };

interface Constant {
  value: number;
  folder: string;
}

/** A constant, or a member of an object on a line of its own. */
const declaration = /^(?:export )?const (\w+) = ([0-9_.]+(?: \* [0-9_.]+)*);|^ {2}(\w+): ([0-9_]+),$/gm;

/** Finds numbers by the names of their constants, wherever the files are. @throws unless exactly one has the name */
export function findConstants(root: string): (name: ConstantName) => Constant {
  const found = new Map<string, (Constant & { path: string })[]>();
  for (const path of globSync('{shared,functions,infra}/**/*.ts', { cwd: root })) {
    const text = readFileSync(join(root, path), 'utf8');
    for (const [, constant, product, member, number] of text.matchAll(declaration)) {
      const name = constant ?? member ?? '';
      const value = productOf(product ?? number ?? '');
      found.set(name, [...(found.get(name) ?? []), { value, folder: dirname(path), path }]);
    }
  }
  return (wanted) => {
    const { name, in: word } = typeof wanted === 'string' ? { name: wanted, in: '' } : wanted;
    const all = (found.get(name) ?? []).filter(({ path }) => path.includes(word));
    const [constant, ...others] = all;
    if (constant && others.length === 0) return constant;
    throw new Error(
      `docs/generate/limit-list.ts names the constant ${name} ${word}, of which the code has ${all.length}: ${all.map(({ path }) => path).join(', ')}`,
    );
  };
}

const productOf = (expression: string) =>
  expression
    .split(' * ')
    .map((factor) => Number(factor.replaceAll('_', '')))
    .reduce((product, factor) => product * factor, 1);
