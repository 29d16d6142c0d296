import { useNavigate } from '@tanstack/react-router';
import { useCall } from '../../../api/queries.ts';
import { typePath } from '../../../routing/record-paths.ts';
import { useDefaultModel } from '../../../templates/use-needs.ts';
import { homeTexts } from '../../../texts/home.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { LoadSamples } from '../../records/load-samples.tsx';

/** The first steps in a workspace, until they are done or dismissed. */
export function Checklist({ onDismiss }: { onDismiss: () => void }) {
  const items = useChecklist().filter(({ isDone }) => isDone !== undefined);
  const done = items.filter(({ isDone }) => isDone).length;
  if (done === items.length) return null;
  return (
    <section className="card checklist" aria-labelledby="checklist">
      <div className="home-head">
        <div>
          <h2 id="checklist">{homeTexts.getStarted}</h2>
          <p className="help">{homeTexts.doneCount(done, items.length)}</p>
        </div>
        <Button look="quiet" onPress={onDismiss}>
          {homeTexts.dismiss}
        </Button>
      </div>
      <progress aria-label={homeTexts.getStarted} value={done} max={items.length} />
      <ol>
        {items.map((item) => (
          <Item key={item.id} {...item} />
        ))}
      </ol>
    </section>
  );
}

function Item(item: ChecklistItem) {
  const navigate = useNavigate();
  return (
    <li className={item.isDone ? 'done' : undefined}>
      <span className="checklist-mark" aria-hidden="true">
        {item.isDone && '✓'}
      </span>
      <div>
        <strong>{item.title}</strong>
        <span className="visually-hidden">
          {': '}
          {item.isDone ? homeTexts.done : homeTexts.toDo}
        </span>
        {!item.isDone && <p className="help">{item.text}</p>}
      </div>
      {!item.isDone &&
        (item.id === 'records' ? (
          <LoadSamples onLoaded={(type) => navigate({ to: typePath(type) })} />
        ) : (
          <GoThere {...item} />
        ))}
    </li>
  );
}

function GoThere({ to, action }: ChecklistItem) {
  const navigate = useNavigate();
  const [path = '/', search = ''] = to.split('?');
  return (
    <Button
      onPress={() => navigate({ to: path, search: Object.fromEntries(new URLSearchParams(search)) } as never)}
    >
      {action}
    </Button>
  );
}

interface ChecklistItem {
  id: 'model' | 'records' | 'run' | 'key';
  title: string;
  text: string;
  /** Undefined if one may not see it, and until it is known. */
  isDone: boolean | undefined;
  to: string;
  action: string;
}

/** What a new workspace does first. Each item is done when what it asks for exists. */
function useChecklist(): ChecklistItem[] {
  const model = useDefaultModel();
  const records = useCall('records.list', { query: { limit: 1, includeFields: 'name' } });
  const runs = useCall('runs.list', { query: { limit: 1 } });
  const keys = useCall('api-keys.list');
  return [
    {
      id: 'model',
      title: homeTexts.connectModel,
      text: homeTexts.addKeyOfProvider,
      isDone: model && model === 'model',
      to: '/settings/provider-keys',
      action: homeTexts.addKey,
    },
    {
      id: 'records',
      title: sharedTexts.loadSampleData,
      text: homeTexts.aboutRecords,
      isDone: records.data && records.data.data.length > 0,
      to: '/records',
      action: sharedTexts.loadSampleData,
    },
    {
      id: 'run',
      title: homeTexts.tryFlow,
      text: homeTexts.createFlowFromTemplate,
      isDone: runs.data && runs.data.data.length > 0,
      to: '/templates?kind=flow',
      action: homeTexts.chooseTemplate,
    },
    {
      id: 'key',
      title: homeTexts.createApiKey,
      text: homeTexts.aboutApiKeys,
      isDone: keys.data && hasAny(keys.data),
      to: '/settings/api-keys',
      action: sharedTexts.createKey,
    },
  ];
}

const hasAny = (answer: object) =>
  Object.values(answer).some((value) => Array.isArray(value) && value.length > 0);
