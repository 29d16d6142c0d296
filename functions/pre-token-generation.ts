import type { PreTokenGenerationV2TriggerEvent } from 'aws-lambda';
import { combineRequirements } from '../shared/platform/aws/uses.ts';

export const requirements = combineRequirements();

/**
 * Cognito's trigger before it issues tokens (event version 2). Adds the organization to both tokens: access tokens do
 * not contain a user's attributes, and a token without the organization would select the user's own tenant.
 */
export async function handler(
  event: PreTokenGenerationV2TriggerEvent,
): Promise<PreTokenGenerationV2TriggerEvent> {
  const organizationId = event.request.userAttributes['custom:organizationId'];
  if (!organizationId) return event;
  const claims = { claimsToAddOrOverride: { organizationId } };
  event.response.claimsAndScopeOverrideDetails = {
    idTokenGeneration: claims,
    accessTokenGeneration: claims,
  };
  return event;
}
