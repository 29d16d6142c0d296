import { Stack } from 'aws-cdk-lib';
import {
  type AddToPrincipalPolicyResult,
  ManagedPolicy,
  PolicyDocument,
  type PolicyStatement,
  Role,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { resolvedLength } from '../conventions/policy-length.ts';

/** Below IAM's 10,240 and 6,144 characters, as estimates may be too low. */
const inlineMax = 8_000;
const managedMax = 5_000;

/**
 * An execution role whose policy is a part of it. The CDK's own would be a resource more for each role. Statements that do
 * not fit into it are in managed policies: the size of a role's own policies is a limit of IAM that nobody can raise, and
 * only a deployment would show that it is exceeded.
 */
export class LambdaRole extends Role {
  private readonly documents: { content: PolicyDocument; room: number }[];

  constructor(scope: Construct, id: string, description: string) {
    const access = new PolicyDocument();
    const assumedBy = new ServicePrincipal('lambda.amazonaws.com');
    super(scope, id, { assumedBy, description, inlinePolicies: { access } });
    this.documents = [{ content: access, room: inlineMax }];
  }

  override addToPrincipalPolicy(statement: PolicyStatement): AddToPrincipalPolicyResult {
    const length = resolvedLength(Stack.of(this), statement);
    const document = this.documents.find(({ room }) => room >= length) ?? this.addManaged();
    document.content.addStatements(statement);
    document.room -= length;
    return { statementAdded: true, policyDependable: this };
  }

  /** The role names the policy, so it has all of its rights before a Lambda has the role. */
  private addManaged() {
    const added = { content: new PolicyDocument(), room: managedMax };
    const id = `more-${this.documents.length}`;
    this.addManagedPolicy(new ManagedPolicy(this, id, { document: added.content }));
    this.documents.push(added);
    return added;
  }
}
