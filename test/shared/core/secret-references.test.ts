import { expect, test } from 'vitest';
import {
  replaceInScript,
  secretKeysInScript,
  secretKeysInTemplate,
  toBareReferences,
  toSecretsVariable,
} from '../../../shared/core/secret-references.ts';
import { expectLinear } from '../../support/linear.ts';

test.each([
  ['{{secret:KEY_1}}', ['KEY_1'], ['KEY_1'], 'secret:KEY_1', '{{ secrets.KEY_1}}'],
  ['a {{ secret: KEY }} b', ['KEY'], ['KEY'], 'a secret:KEY b', 'a {{ secrets.KEY }} b'],
  ['{{- secret:KEY -}}', ['KEY'], [], 'secret:KEY', '{{- secrets.KEY -}}'],
  ['{{secret:KEY-}}', ['KEY'], [], 'secret:KEY', '{{ secrets.KEY-}}'],
  ['{{secret:KEY | upcase }}', ['KEY'], [], 'secret:KEY', '{{ secrets.KEY | upcase }}'],
  [
    '{{secret:AB}}{{secret:CD}}',
    ['AB', 'CD'],
    ['AB', 'CD'],
    'secret:ABsecret:CD',
    '{{ secrets.AB}}{{ secrets.CD}}',
  ],
  [
    '{{secret:AB {{secret:CD}}',
    ['AB', 'CD'],
    ['CD'],
    '{{secret:AB secret:CD',
    '{{ secrets.AB {{ secrets.CD}}',
  ],
  ['{{secret:A-B}}', ['A-B'], [], '{{secret:A-B}}', '{{ secrets.A-B}}'],
  ['{{secret: }}', [''], [''], '{{secret: }}', '{{ secrets.}}'],
  ['{{secrets:KEY}} {{ a | split: "secret:NO" }}', [], [], undefined, undefined],
])('%s', (text, inTemplate, inCode, bare = text, asVariable = text) => {
  expect(secretKeysInTemplate(text)).toEqual(inTemplate);
  expect(secretKeysInScript(text)).toEqual(inCode);
  expect(toBareReferences(text)).toBe(bare);
  expect(toSecretsVariable(text)).toBe(asVariable);
});

test('replaceInScript replaces only plain references', () => {
  const code = 'f("{{secret:AB}}", "{{ secret:CD }}", "{{- secret:EF}}", secrets.GH)';
  expect(replaceInScript(code, (key) => `<${key}>`)).toBe('f("<AB>", "<CD>", "{{- secret:EF}}", secrets.GH)');
  expect(secretKeysInScript(code)).toEqual(['AB', 'CD', 'GH']);
});

test.each([
  ['blanks', (size: number) => `{{secret:${' '.repeat(size)}`],
  ['blanks behind a key', (size: number) => `{{secret:KEY${' '.repeat(size)}`],
  ['beginnings', (size: number) => '{{secret:'.repeat(size / 9)],
  ['filters that do not end', (size: number) => '{{secret:K|'.repeat(size / 11)],
  ['one filter that does not end', (size: number) => `{{secret:KEY|${'x'.repeat(size)}`],
  ['dashes', (size: number) => `{{secret:${'-'.repeat(size)}`],
] as const)('a text of %s is parsed in linear time', (_what, textOf) => {
  expectLinear((text) => [secretKeysInTemplate(text), toBareReferences(text)], textOf, 12_000);
});
