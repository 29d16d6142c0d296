import { schemas } from 'virtual:step-schemas';
import { type ComponentType, useCallback, useMemo } from 'react';
import { editorTexts } from '../../../texts/flow-editor.ts';
import { CheckField } from '../../../ui/forms/check.tsx';
import type { CustomField } from '../../../ui/schema-form/form-context.ts';
import { fieldHelp } from '../../../ui/schema-form/help.ts';
import { MembersFields } from '../../../ui/schema-form/members.tsx';
import { NumberField } from '../../../ui/schema-form/number-field.tsx';
import { hasProblem } from '../../../ui/schema-form/paths.ts';
import { SchemaForm } from '../../../ui/schema-form/schema-form.tsx';
import { isObject, type JsonObject } from '../../../ui/values/schema.ts';
import { targetFields } from '../../products/parts/pickers.tsx';
import { VariableEditor } from '../data/variable-editor.tsx';
import { PromptEditor, promptMembers } from '../prompt/prompt-editor.tsx';
import { allLists } from '../steps/lists.ts';
import { namesKnownInside, stepOutputNames } from '../steps/scopes.ts';
import { isScript } from '../steps/scripts.ts';
import { stepSchema } from '../steps/step-schemas.ts';
import { stepTypeLabel } from '../steps/step-types.ts';
import type { Step } from '../steps/steps.ts';
import { BranchesField } from './branches-field.tsx';
import type { Findings } from './findings.ts';
import { HeldStepsFieldset } from './held-steps-field.tsx';
import type { StepsEditorProps } from './steps-editor-props.ts';
import { useSuggestions } from './suggestions.ts';

interface Props {
  step: Step;
  onChange: (step: Step, what?: string) => void;
  path: string;
  findings: Findings;
  known: readonly string[];
  steps: readonly Step[];
  index: number;
  /** Edits the steps of a list that the step holds. */
  HeldSteps: ComponentType<StepsEditorProps>;
}

/** The form of a step, made of the schema of its type; editors for templates, code and the steps inside. */
export function StepForm({
  step,
  onChange,
  path,
  findings,
  known: variableNames,
  steps,
  index,
  HeldSteps,
}: Props) {
  const names = useMemo(
    () => [...variableNames, ...stepOutputNames(steps.slice(0, index))],
    [variableNames, steps, index],
  );
  const complete = useSuggestions(names);
  const schema = useMemo(() => ({ ...stepSchema(step.type), $defs: schemas.$defs ?? {} }), [step.type]);
  const custom = useCallback(
    (field: CustomField) => {
      const holding = { HeldSteps, findings, known: namesKnownInside(step, names) };
      const { name, label, schema: member, value, onChange: change, problem } = field;
      // What a step does is not a part of it for people.
      if (field.path === `${path}.config`) {
        const config = isObject(value) ? value : {};
        const isPrompt = step.type === 'prompt';
        return (
          <>
            {isPrompt && (
              <PromptEditor
                step={{ id: step.id, type: step.type, name: '', config }}
                path={field.path}
                problems={findings.problems}
                complete={complete}
                onChange={change}
              />
            )}
            <MembersFields
              schema={member}
              path={field.path}
              value={config}
              onChange={change}
              hidden={isPrompt ? promptMembers : []}
            />
          </>
        );
      }
      if (targets.some((each) => field.path === `${path}.config.${each}`)) return targetFields(field);
      if (field.path === `${path}.config.branches`)
        return <BranchesField {...field} {...holding} holderId={step.id} onChange={change} />;
      const list = allLists(step).find((each) => field.path === `${path}.config.${each.name}`);
      if (list) return <HeldStepsFieldset {...field} {...holding} step={step} />;
      if (field.path === `${path}.retry`) return <RetryField {...field} problems={findings.problems} />;
      if (field.path === `${path}.timeoutMs`) return <TimeLimitField {...field} />;
      const language = languageOf(step.type, name, member.maxLength ?? 0);
      if (!language || (value !== undefined && typeof value !== 'string')) return undefined;
      return (
        <VariableEditor
          stepId={step.id}
          label={label}
          language={language}
          problem={problem}
          complete={complete}
          help={member.description}
          value={value ?? ''}
          onChange={(text) => change(text === '' ? undefined : text)}
        />
      );
    },
    [HeldSteps, complete, findings, names, path, step],
  );
  return (
    <>
      <h2>{stepTypeLabel(step.type)}</h2>
      <SchemaForm
        schema={schema}
        path={path}
        custom={custom}
        problems={findings.problems}
        value={step}
        hidden={['type', 'id', 'order']}
        shown={shown}
        isGrouped
        restTitle={editorTexts.conditionAndRetry}
        onChange={(changed: JsonObject) =>
          onChange(changed as Step, `${step.id} ${changedMember(step, changed)}`)
        }
      />
    </>
  );
}

/** What most steps need, though the API does not require it. */
const shown = ['outputVariable', 'userPrompt', 'model', 'value'];

/** Chosen by their names. */
const targets = ['flowId', 'agentId'];

/** Texts of code and templates are long; shorter ones are names and addresses. */
function languageOf(type: string, name: string, maxLength: number): 'javascript' | 'template' | undefined {
  if (isScript(type, name)) return 'javascript';
  return maxLength > 2_000 ? 'template' : undefined;
}

const changedMember = (before: JsonObject, after: JsonObject): string =>
  Object.keys({ ...before, ...after }).find((name) => before[name] !== after[name]) ?? '';

interface RetryFieldProps extends Pick<CustomField, 'path' | 'schema' | 'value' | 'onChange'> {
  problems: Readonly<Record<string, string>>;
}

/** Whether and how a step is tried again, in a section that is closed at first. */
const RetryField = ({ path, schema, value, onChange, problems }: RetryFieldProps) => (
  <details className="more-settings" {...(hasProblem(problems, path) && { open: true })}>
    <summary>{editorTexts.retry}</summary>
    <CheckField
      label={editorTexts.retryAfterFailures}
      help={schema.description}
      isOn={isObject(value)}
      onChange={(isOn) => onChange(isOn ? {} : undefined)}
    />
    {isObject(value) && <MembersFields path={path} schema={schema} value={value} onChange={onChange} />}
  </details>
);

/** How long an attempt of a step may take. */
const TimeLimitField = ({ schema, value, problem, onChange }: CustomField) => (
  <NumberField
    value={value}
    problem={problem}
    onChange={onChange}
    label={editorTexts.timeLimitMs}
    help={fieldHelp(schema)}
    isRequired={false}
    isWhole
  />
);
