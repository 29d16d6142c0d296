import { stops } from './pictures/tour/stops.ts';

/** docs/tour.md: the animation, and what it shows in words. */
export function tourDocument(): string {
  const parts = stops.map(({ title, text }) => `## ${title}\n\n${text}\n`);
  return `# A tour of the console

30 seconds, recorded by \`npm run tour\`. Below it is in words what it shows.

![A walk through the console: ${stops.map(({ title }) => title.toLowerCase()).join(', ')}](images/tour.webp)

${parts.join('\n')}`;
}
