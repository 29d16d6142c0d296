import type { Progress } from '../../templates/create/create-from-template.ts';
import type { StarterTemplate, TemplateNeed } from '../../templates/template.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { templateTexts } from '../../texts/templates.ts';
import { Button } from '../../ui/forms/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Link } from '../../ui/link.tsx';
import { FailureNotice } from '../../ui/loading/failure.tsx';
import { stepTypeLabel } from '../flows/steps/step-types.ts';

interface Props {
  template: StarterTemplate;
  missing: readonly TemplateNeed[];
  progress: Progress | undefined;
  error: Error | undefined;
  isIdle: boolean;
  /** That of its heading. */
  level: 2 | 3;
  onCreate: () => void;
}

/** What a template does, needs and creates, and the button that creates it. */
export function TemplateCard({ template, missing, progress, error, isIdle, level, onCreate }: Props) {
  const Heading = level === 2 ? 'h2' : 'h3';
  const { name, summary, opens, product } = template;
  const heading = `template-${template.id}`;
  return (
    <article className="card template" aria-labelledby={heading}>
      <div className="template-head">
        <span className="template-icon">
          <Icon name={icons[opens]} size={14} />
        </span>
        <Heading id={heading}>{name}</Heading>
        <span className="template-kind">{kinds[opens]}</span>
      </div>
      <p>{summary}</p>
      {product?.schedule && <p className="help">{templateTexts.inYourTimeZone(product.schedule.words)}</p>}
      <details>
        <summary>{templateTexts.whatItCreates}</summary>
        <Contents {...template} />
      </details>
      {missing.map((need) => (
        <Missing key={need} need={need} />
      ))}
      {error && <FailureNotice error={error} />}
      <div className="template-foot">
        <Button
          aria-label={templateTexts.useTemplateNamed(name)}
          isPending={progress !== undefined}
          isDisabled={isIdle}
          onPress={onCreate}
        >
          {templateTexts.useTemplate}
        </Button>
        <span role="status" className="help">
          {progress && templateTexts.progress(progress.what, progress.done + 1, progress.total)}
        </span>
      </div>
    </article>
  );
}

const kinds = { flow: sharedTexts.flow, agent: sharedTexts.agent, product: sharedTexts.product };
const icons = { flow: 'flows', agent: 'agents', product: 'products' } as const;

const Contents = ({ flow, agent, product, records }: StarterTemplate) => (
  <ul>
    {flow && (
      <li>
        {templateTexts.flow(flow.name)}
        <ol>
          {flow.steps?.map(({ name, type }) => (
            <li key={name}>
              {name} <span className="help">{stepTypeLabel(type)}</span>
            </li>
          ))}
        </ol>
      </li>
    )}
    {agent && (
      <li>
        {templateTexts.agent(
          agent.name,
          agent.config?.tools?.toolIds?.map((id) => id.replace('builtin:', '')) ?? [],
        )}
      </li>
    )}
    {product && (
      <li>
        {(product.api ? templateTexts.productWithApi : templateTexts.productWithSchedule)(product.name)}
      </li>
    )}
    {records.map(({ type, items }) => (
      <li key={type}>{templateTexts.sampleRecordsOfType(items.length, type)}</li>
    ))}
  </ul>
);

const needs = { model: templateTexts.needsModel, 'web-search': templateTexts.needsWebSearch };

const Missing = ({ need }: { need: TemplateNeed }) => (
  <p className="template-missing">
    {needs[need]((text) => (
      <Link to="/settings/provider-keys">{text}</Link>
    ))}
  </p>
);
