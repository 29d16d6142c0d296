import type { OperationRequest, Schemas } from '../../packages/client/src/client.ts';

/** The type of the records that the flow creates. */
export const guideType = 'guide-entry';

/** The great-circle distance from San Francisco, and the travel times by car and by plane. */
const measure = `
const radians = (degrees) => (Number(degrees) * Math.PI) / 180;
const { latitude, longitude } = _record.metadata;
const home = { latitude: 37.619002, longitude: -122.374843 };
const half = (a, b) => Math.sin((radians(a) - radians(b)) / 2) ** 2;
const share = half(latitude, home.latitude) +
  Math.cos(radians(latitude)) * Math.cos(radians(home.latitude)) * half(longitude, home.longitude);
const km = Math.round(2 * 6371 * Math.asin(Math.sqrt(share)));
return { km, hoursByCar: Math.ceil(km / 80), hoursByPlane: Math.ceil(km / 700) };`;

const question = `Airport: {{ _record.metadata.name }} ({{ _record.name }})
Place: {{ _record.metadata.city }}, {{ _record.type }}
From San Francisco: {{ trip.km }} km, {{ travel }}`;

const travel = (name: string, template: string): Schemas.FlowStepInput => ({
  type: 'template',
  name,
  config: { template, outputVariable: 'travel' },
});

/** For each airport: distance and travel time from San Francisco, a sentence by the model, and a record of both. */
export const guideFlow = (model: string): OperationRequest<'flows.create'>['body'] => ({
  name: 'Airport guide',
  description:
    'Writes a guide entry for every airport: distance and travel time from San Francisco, and a sentence.',
  flowSteps: [
    {
      type: 'transform-data',
      name: 'Measure the distance',
      config: { script: measure, outputVariable: 'trip' },
    },
    {
      type: 'conditional',
      name: 'Is it near?',
      config: {
        condition: 'trip.km < 300',
        trueSteps: [travel('Go by car', 'about {{ trip.hoursByCar }} h by car')],
        falseSteps: [travel('Go by plane', 'about {{ trip.hoursByPlane }} h by plane')],
      },
    },
    {
      type: 'prompt',
      name: 'Write a sentence',
      config: {
        model,
        systemPrompt: 'You write for a travel guide: one sentence of at most 25 words, facts only.',
        userPrompt: question,
        outputVariable: 'sentence',
      },
    },
    {
      type: 'set-variable',
      name: 'Assemble the entry',
      config: {
        variableName: 'entry',
        value: {
          airport: '{{ _record.metadata.name }}',
          city: '{{ _record.metadata.city }}',
          kmFromSanFrancisco: '{{ trip.km }}',
          travel: '{{ travel }}',
          sentence: '{{ sentence }}',
        },
      },
    },
    {
      type: 'upsert-record',
      name: 'Save the entry',
      config: { recordType: guideType, recordName: '{{ _record.name }}', sourceVariable: 'entry' },
    },
  ],
});

/** For a fictional airport: the distance, and a postcard from it. Nothing is stored. */
export const postcardFlow = (model: string): NonNullable<OperationRequest<'dispatch.run'>['body']> => ({
  flow: {
    name: 'Postcard',
    steps: [
      {
        type: 'transform-data',
        name: 'Measure the distance',
        config: { script: measure, outputVariable: 'trip' },
      },
      {
        type: 'prompt',
        name: 'Write a postcard',
        config: {
          model,
          systemPrompt: 'You write postcards of two sentences.',
          userPrompt: `Airport: {{ _record.metadata.name }}
Place: {{ _record.metadata.city }}
From San Francisco: {{ trip.km }} km, to {{ friend }}`,
        },
      },
    ],
  },
  record: {
    type: 'airport',
    name: 'XQZ',
    metadata: { name: 'Cloudport', city: 'Reykjavik', latitude: '64.13', longitude: '-21.94' },
  },
  inputs: { friend: 'Ada' },
});
