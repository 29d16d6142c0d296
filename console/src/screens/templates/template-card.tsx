import type { Progress } from '../../templates/create/create-from-template.ts';
import type { Need, Template } from '../../templates/template.ts';
import { Button } from '../../ui/forms/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Link } from '../../ui/link.tsx';
import { Failure } from '../../ui/loading/failure.tsx';
import { counted } from '../../ui/values/format.ts';
import { stepTypeLabel } from '../flows/steps/step-types.ts';

interface Props {
  template: Template;
  missing: readonly Need[];
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
      {product?.schedule && <p className="help">{product.schedule.words}, in your time zone.</p>}
      <details>
        <summary>What it creates</summary>
        <Contents {...template} />
      </details>
      {missing.map((need) => (
        <Missing key={need} need={need} />
      ))}
      {error && <Failure error={error} />}
      <div className="template-foot">
        <Button
          aria-label={`Use template: ${name}`}
          isPending={progress !== undefined}
          isDisabled={isIdle}
          onPress={onCreate}
        >
          Use template
        </Button>
        <span role="status" className="help">
          {progress && `${progress.what} (${progress.done + 1} of ${progress.total}) …`}
        </span>
      </div>
    </article>
  );
}

const kinds = { flow: 'Flow', agent: 'Agent', product: 'Product' };
const icons = { flow: 'flows', agent: 'agents', product: 'products' } as const;

const Contents = ({ flow, agent, product, records }: Template) => (
  <ul>
    {flow && (
      <li>
        The flow “{flow.name}”, published:
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
        The agent “{agent.name}”, published, with the tools{' '}
        {agent.config?.tools?.toolIds?.map((id) => id.replace('builtin:', '')).join(' and ')}
      </li>
    )}
    {product && (
      <li>
        The product “{product.name}” with {product.api ? 'an API' : 'a schedule'}
      </li>
    )}
    {records.map(({ type, items }) => (
      <li key={type}>
        {counted(items.length, 'sample record')} of the type {type}
      </li>
    ))}
  </ul>
);

const needs = {
  model: { text: 'Needs a model:', to: '/settings/provider-keys', link: 'connect one' },
  'web-search': { text: 'Needs a web search:', to: '/settings/provider-keys', link: 'add a key' },
};

const Missing = ({ need }: { need: Need }) => (
  <p className="template-missing">
    {needs[need].text} <Link to={needs[need].to}>{needs[need].link}</Link>
  </p>
);
