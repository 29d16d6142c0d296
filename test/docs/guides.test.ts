import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { guideCommands, guideProblems, guides } from './guide.ts';

test('few commands are exempt from the test', () => {
  const ofAWS = /deploying-on-aws\.md$/;
  for (const guide of guides.filter((path) => !ofAWS.test(path))) {
    const { tested, exempt } = countsOf(guide);
    expect(exempt, guide).toBeLessThanOrEqual(Math.max(tested, 2));
  }
});

const countsOf = (guide: string) => ({
  tested: guideCommands(guide).length,
  exempt: guideCommands(guide, 'sh no-test').length,
});

test('every guide says what one has at its end, what may fail, and where to go next', () => {
  for (const guide of guides.filter((path) => !path.endsWith('README.md'))) {
    const text = readFileSync(guide, 'utf8');
    expect(text, guide).toMatch(/^# .+\n\nAt the end /);
    expect(text, guide).toMatch(/\n## If it fails\n[\s\S]*\n## Next\n/);
  }
});

test('the README and AGENTS.md are short', () => {
  const linesOf = (path: string) => readFileSync(path, 'utf8').split('\n').length;
  expect(linesOf('README.md')).toBeLessThan(150);
  expect(linesOf('AGENTS.md')).toBeLessThan(80);
});

test('a command that fails is reported with its line and its message', async () => {
  const problems = await guideProblems('test/docs/failing-guide.md', {});
  expect(problems).toEqual([expect.stringMatching(/^test\/docs\/failing-guide\.md:9: exit code 3: begun\n/)]);
});

test('output that a guide shows and a command does not print is reported', async () => {
  const problems = await guideProblems('test/docs/wrong-output.md', {});
  expect(problems).toEqual([expect.stringContaining('the output lacks "two"')]);
});

test('a recording may have other times, durations and ids, and no other words', async () => {
  const problems = await guideProblems('test/docs/recording.md', {});
  expect(problems).toEqual([
    expect.stringMatching(/^test\/docs\/recording\.md:7: the output lacks "<exec id>/),
  ]);
});
