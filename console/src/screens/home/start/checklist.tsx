import { useNavigate } from '@tanstack/react-router';
import { typePath } from '../../../routing/record-paths.ts';
import { homeTexts } from '../../../texts/home.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { LoadSamples } from '../../records/load-samples.tsx';
import { type ChecklistItem, useChecklist } from './checklist-items.ts';

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
