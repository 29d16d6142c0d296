import { expect, test } from 'vitest';
import { groups } from '../../../../functions/index.ts';
import { stepTypes } from '../../../../shared/domain/flows/step-types/index.ts';
import { openApi } from '../../../../shared/platform/http/openapi.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into documents of every shape
const document: any = openApi(groups);
const { schemas } = document.components;

test('every step type has its own schema with a summary, config and output', () => {
  const entries = Object.entries(schemas).filter(([name]) => name.endsWith('Step'));
  const byType = new Map(
    // biome-ignore lint/suspicious/noExplicitAny: as above
    entries.map(([, schema]: [string, any]) => [schema.properties.type.const, schema] as const),
  );
  expect([...byType.keys()].toSorted()).toEqual(Object.keys(stepTypes).toSorted());
  for (const [type, { summary, permission }] of Object.entries(stepTypes)) {
    const inline = permission ? `. In an inline flow it also requires \`${permission}\`` : '';
    const { description, properties } = byType.get(type) ?? {};
    expect(description).toContain(`${summary}${inline}. Its output: \``);
    expect(Object.keys(properties.config.properties).length, type).toBeGreaterThan(0);
  }
});

test('a streaming endpoint lists JSON first, which all generators support, and then its events', () => {
  const { content } = document.paths['/v1/dispatch'].post.responses[200];
  expect(Object.keys(content)).toEqual(['application/json', 'text/event-stream']);
  expect(content['text/event-stream'].schema).toEqual({ $ref: '#/components/schemas/StreamEventMessage' });
  expect(content['application/json'].schema).toEqual({ $ref: '#/components/schemas/AnyRunResult' });
});

test('every schema reference resolves', () => {
  const references = JSON.stringify(document).match(/#\/components\/schemas\/\w+/g) ?? [];
  expect(references.length).toBeGreaterThan(100);
  for (const reference of references) expect(schemas).toHaveProperty([reference.split('/')[3] ?? '']);
});
