import { expect, test } from 'vitest';
import { grantsIn } from './grants-in.ts';
import { synthesise } from './synthesise.ts';

const grantsOf = (template: ReturnType<typeof synthesise>) =>
  grantsIn(template).filter(({ actions }) => actions.some((action) => action.startsWith('bedrock:')));

const regionsOf = (template: ReturnType<typeof synthesise>) =>
  Object.values(template.findResources('AWS::Lambda::Function')).flatMap(
    ({ Properties }) => Properties.Environment?.Variables?.BEDROCK_REGION ?? [],
  );

test('without a region, no role may call Bedrock, and no Lambda is told to', () => {
  const template = synthesise('dev');
  expect(grantsOf(template)).toEqual([]);
  expect(regionsOf(template)).toEqual([]);
});

test('with a region, the workers that run steps may call its models, whole or streamed, and nothing else', () => {
  const template = synthesise('dev', { bedrockRegion: 'eu-central-1' });
  const grants = grantsOf(template);
  expect(grants.map(({ role }) => role)).toContain('workers');
  for (const { actions, resources } of grants) {
    expect(actions).toEqual(['bedrock:InvokeModel', 'bedrock:InvokeModelWithResponseStream']);
    expect(resources).toEqual([
      'arn:<AWS::Partition>:bedrock:*::foundation-model/*',
      'arn:<AWS::Partition>:bedrock:eu-central-1:<AWS::AccountId>:inference-profile/*',
      'arn:<AWS::Partition>:bedrock:eu-central-1:<AWS::AccountId>:application-inference-profile/*',
    ]);
  }
  expect(new Set(regionsOf(template))).toEqual(new Set(['eu-central-1']));
});
