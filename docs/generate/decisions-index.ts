import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { headingAnchors } from './anchors.ts';

interface Section {
  heading: string;
  anchor: string;
  /** The date of each decision. */
  dates: string[];
}

/** docs/decisions/README.md, from the headings of the areas and the dates of their entries. */
export function decisionsIndex(root: string): string {
  const areas = globSync('docs/decisions/*.md', { cwd: root })
    .filter((path) => !path.endsWith('README.md'))
    .sort()
    .map((path) => ({
      file: path.split('/').at(-1) ?? '',
      ...areaOf(readFileSync(join(root, path), 'utf8')),
    }));
  const count = areas.flatMap(({ sections }) => sections.flatMap(({ dates }) => dates)).length;
  return `# Decisions

Each entry states a decision that others could have made differently, then its reason. It begins with the day of its last
change. A commit that changes a decision also changes its entry and that date. Entries about what no longer exists are
removed.

\`npm run docs\` writes this index of ${count} decisions from the headings.

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

const shown = (file: string, { heading, anchor, dates }: Section) =>
  `[${heading}](${file}#${anchor}) (${dates.length})`;

function areaOf(text: string): { title: string; sections: Section[] } {
  const [title = '', ...parts] = text.split(/^## /m);
  const anchors = headingAnchors(text).slice(1);
  return {
    title: title.replace('# ', '').trim(),
    sections: parts.map((part, index) => ({
      heading: part.split('\n')[0] ?? '',
      anchor: anchors[index] ?? '',
      dates: [...part.matchAll(/^- (\d{4}-\d\d-\d\d): /gm)].map(([, date = '']) => date),
    })),
  };
}
