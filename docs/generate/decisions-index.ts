import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { headingAnchors } from './anchors.ts';

interface Section {
  heading: string;
  anchor: string;
  /** The number of each decision. */
  numbers: number[];
}

const index = 'docs/decisions/README.md';

/** docs/decisions/README.md, from the headings of the areas and the numbers of their entries. */
export function decisionsIndex(root: string): string {
  const areas = globSync('docs/decisions/*.md', { cwd: root })
    .filter((path) => !path.endsWith('README.md'))
    .sort()
    .map((path) => ({
      file: path.split('/').at(-1) ?? '',
      ...areaOf(readFileSync(join(root, path), 'utf8')),
    }));
  const numbers = areas.flatMap(({ sections }) => sections.flatMap((section) => section.numbers));
  return `# Decisions

An entry states a decision in one sentence, then which alternative it rejects and why, in at most 70 words. Comments in the
code name its number where it explains surprising code: \`D17\`. \`git blame\` has its date.

**What deserves an entry:** a decision that rejects what a competent engineer would choose, if nothing else states it: no
description of an endpoint, guide, [limit](../limits.md), name of a test or head of a module. Examples are what a measurement
decided, and what AWS, security or a public protocol forced. There are at most 300 entries: to add one beyond that, merge or
remove others.

**Numbers:** a new entry gets the next free number, which is D${nextNumber(root, numbers)}, in whichever area it is. Numbers never
change, and are not given again. A commit that removes an entry removes its number from comments.

\`npm run docs\` writes this index of ${numbers.length} decisions.

| Area | Sections |
| --- | --- |
${areas
  .map(
    ({ file, title, sections }) =>
      `| [${title}](${file}) | ${sections.map((each) => shown(file, each)).join(', ')} |`,
  )
  .join('\n')}
`;
}

/** At least that of the former index, so that the number of the last entry is not given again after its removal. */
function nextNumber(root: string, numbers: number[]): number {
  const path = join(root, index);
  const [, former = '1'] =
    (existsSync(path) && /the next free number, which is D(\d+)/.exec(readFileSync(path, 'utf8'))) || [];
  return Math.max(Number(former), ...numbers.map((number) => number + 1));
}

const shown = (file: string, { heading, anchor, numbers }: Section) =>
  `[${heading}](${file}#${anchor}) (${numbers.length})`;

function areaOf(text: string): { title: string; sections: Section[] } {
  const [title = '', ...parts] = text.split(/^## /m);
  const anchors = headingAnchors(text).slice(1);
  return {
    title: title.replace('# ', '').trim(),
    sections: parts.map((part, index) => ({
      heading: part.split('\n')[0] ?? '',
      anchor: anchors[index] ?? '',
      numbers: [...part.matchAll(/^- D(\d+): /gm)].map(([, number]) => Number(number)),
    })),
  };
}
