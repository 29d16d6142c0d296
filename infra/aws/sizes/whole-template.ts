import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CfnStack, NestedStack, type Stack, Stage } from 'aws-cdk-lib';

type Json = Record<string, unknown>;

export interface TemplateResource {
  Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: each type of resource has its own.
  Properties: Record<string, any>;
  DependsOn?: string[];
}

export interface StackTemplate {
  /** By the logical id. */
  Resources: Record<string, TemplateResource>;
  Parameters?: Json;
  Outputs?: Json;
}

/** A template as it was synthesised. */
export const templateText = (stack: Stack): string =>
  readFileSync(join(directoryOf(stack), stack.templateFile), 'utf8');

const directoryOf = (stack: Stack) => Stage.of(stack)?.synth().directory ?? '';
const templateOf = (stack: Stack): StackTemplate => JSON.parse(templateText(stack));

export const findNestedStacks = (stack: Stack): NestedStack[] =>
  stack.node.findAll().filter((each) => each instanceof NestedStack);

/**
 * The template of a stack with the resources of its nested stacks, as if they were its own: parameters are what the stack
 * passes, and the document of the API is its body.
 * @param leaves The nested stacks that it leaves out.
 */
export function wholeTemplate(stack: Stack, leaves: readonly (Stack | undefined)[] = []): StackTemplate {
  const whole = templateOf(stack);
  for (const nested of findNestedStacks(stack)) {
    if (leaves.includes(nested)) continue;
    const id = stack.getLogicalId(nested.nestedStackResource as CfnStack);
    const nestedParameters: Json = whole.Resources[id]?.Properties.Parameters ?? {};
    for (const [innerId, resource] of Object.entries(templateOf(nested).Resources)) {
      if (whole.Resources[innerId]) throw new Error(`${innerId} is in two stacks`);
      whole.Resources[innerId] = withValues(resource, nestedParameters) as TemplateResource;
    }
  }
  for (const { Type, Properties } of Object.values(whole.Resources))
    if (Type === 'AWS::ApiGateway::RestApi') Properties.Body = JSON.parse(readApiDocument(stack));
  return whole;
}

/** The document of the API of a service, as API Gateway imports it. */
export function readApiDocument(service: Stack): string {
  const [api] = Object.values(templateOf(service).Resources).filter(
    ({ Type }) => Type === 'AWS::ApiGateway::RestApi',
  );
  return readFileSync(join(directoryOf(service), `asset.${api?.Properties.BodyS3Location.Key}`), 'utf8');
}

/** With the values of parameters in the place of references to them. */
function withValues(value: unknown, parameters: Json): unknown {
  if (Array.isArray(value)) return value.map((each) => withValues(each, parameters));
  if (typeof value !== 'object' || value === null) return value;
  const { Ref } = value as { Ref?: string };
  if (Ref !== undefined && Object.hasOwn(parameters, Ref)) return parameters[Ref];
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, withValues(part, parameters)]),
  );
}
