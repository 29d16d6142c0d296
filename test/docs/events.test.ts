import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { eventExamples } from '../../docs/generate/event-examples.ts';
import { documentOfApi } from '../../docs/generate/events.ts';

const { components } = documentOfApi();
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema({ $id: 'api', components });

test.for(Object.entries(eventExamples))('the example of %s fits its schema', ([name, example]) => {
  const validate = ajv.getSchema(`api#/components/schemas/${name}`);
  expect(validate?.(example), JSON.stringify(validate?.errors)).toBe(true);
});

test('no example is of a schema that the API lacks', () => {
  expect(Object.keys(eventExamples).filter((name) => !(name in components.schemas))).toEqual([]);
});
