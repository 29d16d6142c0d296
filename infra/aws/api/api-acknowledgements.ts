/** Rules of cdk-nag that the API breaks, and why. */
export const acknowledgements = [
  {
    id: 'AwsSolutions-APIG2',
    reason:
      'The Lambdas validate every request against the endpoint’s schema and report each error with its path.',
  },
  {
    id: 'AwsSolutions-APIG4',
    reason:
      'Public routes: static files, preflight requests, and the validation of a flow, whose Lambda verifies a credential if one is sent. All other routes have the authorizer.',
  },
  {
    id: 'AwsSolutions-COG4',
    reason:
      'The API accepts API keys and tokens of any OIDC issuer, so the authorizer is a Lambda, not Cognito.',
  },
];
