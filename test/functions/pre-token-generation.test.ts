import type { PreTokenGenerationV2TriggerEvent } from 'aws-lambda';
import { expect, test } from 'vitest';
import { handler } from '../../functions/pre-token-generation.ts';

/** Cognito’s event, in the parts that matter here. */
const eventOf = (userAttributes: Record<string, string>) =>
  ({
    version: '2',
    triggerSource: 'TokenGeneration_Authentication',
    userName: 'ada',
    request: { userAttributes, groupConfiguration: {}, scopes: [] },
    response: {},
  }) as unknown as PreTokenGenerationV2TriggerEvent;

test('both tokens of a member name the organization, so both select the same tenant', async () => {
  const { response } = await handler(eventOf({ sub: 'u1', 'custom:organizationId': 'acme' }));
  const claims = { claimsToAddOrOverride: { organizationId: 'acme' } };
  expect(response.claimsAndScopeOverrideDetails).toEqual({
    idTokenGeneration: claims,
    accessTokenGeneration: claims,
  });
});

test('tokens of a user without an organization stay as they are', async () => {
  expect((await handler(eventOf({ sub: 'u1' }))).response).toEqual({});
});
