import { expect, test } from 'vitest';
import * as z from 'zod';
import { AgentConfig } from '../../../../../shared/domain/agents/config/agent-config.ts';
import { ExternalConfig } from '../../../../../shared/domain/agents/config/external-config.ts';
import { stepTypes } from '../../../../../shared/domain/flows/step-types/index.ts';
import type { AnyStepType } from '../../../../../shared/domain/flows/steps/step.ts';
import { toolTypes } from '../../../../../shared/domain/tools/tool-types/index.ts';
import type { ToolType } from '../../../../../shared/domain/tools/tool-types/tool-type.ts';
import { agentPlaces, stepPlaces, toolPlaces } from '../../../../../shared/domain/workspace/kinds/places.ts';

interface Shape {
  properties?: Record<string, Shape>;
  items?: Shape;
  anyOf?: Shape[];
  oneOf?: Shape[];
  $ref?: string;
}

/** The places of members with names as references have, such as `agentId` and `embeddingModel`. */
function likelyPlaces(schema: z.ZodType, base: string): string[] {
  const whole = z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' }) as Shape & {
    $defs?: Record<string, Shape>;
  };
  const within = (shape: Shape, path: string, depth: number): string[] => {
    const known = shape.$ref ? (whole.$defs?.[shape.$ref.replace('#/$defs/', '')] ?? {}) : shape;
    if (depth > 12) return [];
    return [
      ...Object.entries(known.properties ?? {}).flatMap(([name, member]) => [
        ...(/(^model|Model|Id)$/.test(name) ? [`${path}.${name}`] : []),
        ...(/(Ids|toolPool)$/.test(name) ? [`${path}.${name}.*`] : []),
        ...within(member, `${path}.${name}`, depth + 1),
      ]),
      ...(known.items ? within(known.items, `${path}.*`, depth + 1) : []),
      ...[...(known.anyOf ?? []), ...(known.oneOf ?? [])].flatMap((each) => within(each, path, depth + 1)),
    ];
  };
  return [...new Set(within(whole, base, 0))];
}

/** They name something else. */
const others = [
  // Templates: a session of a memory, a record.
  'config.sessionId',
  'config.recordId',
  // A batch, which is no resource of a workspace.
  'config.from.batchId',
  'config.voice.elevenLabs.voiceId',
  'config.voice.elevenLabs.modelId',
];

const unlisted = (schema: z.ZodType, base: string, places: Readonly<Record<string, string>>) =>
  likelyPlaces(schema, base).filter((place) => !(place in places) && !others.includes(place));

test('the references of every type of step are listed', () => {
  const types = Object.values<AnyStepType>(stepTypes);
  expect(types.flatMap(({ config }) => unlisted(config, 'config', stepPlaces))).toEqual([]);
});

test('the references of every type of tool are listed', () => {
  const types = Object.values<ToolType>(toolTypes);
  expect(types.flatMap(({ config }) => unlisted(config, 'config', toolPlaces))).toEqual([]);
});

test('the references of agents are listed', () => {
  expect(unlisted(AgentConfig, 'config', agentPlaces)).toEqual([]);
  expect(unlisted(ExternalConfig, 'externalConfig', agentPlaces)).toEqual([]);
});
