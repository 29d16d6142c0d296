/** What AWS allows. `canBeRaised`: AWS raises it on request, so that no limit of ours follows from it. */
export interface Quota {
  what: string;
  max: number;
  canBeRaised?: true;
}

/**
 * Quotas of CloudFormation, IAM, API Gateway and Lambda, of which a deployment would be the first to tell that one is exceeded.
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html,
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html,
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-execution-service-limits-table.html
 */
export const quotas = {
  template: { what: 'largest template, in bytes', max: 1_000_000 },
  resources: { what: 'resources of a stack', max: 500 },
  parameters: { what: 'parameters of a stack', max: 200 },
  outputs: { what: 'outputs of a stack', max: 200 },
  // Of a stack with its nested ones, when all are created.
  operation: { what: 'resources of all stacks', max: 2_500 },
  inline: { what: 'largest policy of a role', max: 10_240 },
  managed: { what: 'largest managed policy', max: 6_144 },
  policies: { what: 'managed policies of a role', max: 10, canBeRaised: true },
  trust: { what: 'largest trust policy', max: 2_048, canBeRaised: true },
  document: { what: 'document of the API, in bytes', max: 6_000_000 },
  paths: { what: 'resources of the API', max: 300, canBeRaised: true },
} as const satisfies Record<string, Quota>;

export type QuotaName = keyof typeof quotas;

/** The share of a quota from which on a size is too large: an endpoint more must not be the one that cannot be deployed. */
export const sizeShare = 0.9;
