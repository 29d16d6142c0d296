import { Link } from '../../../ui/link.tsx';
import { Gallery } from '../../templates/gallery.tsx';

/** In place of charts without anything in them. */
export const FirstSteps = () => (
  <section aria-labelledby="templates">
    <div className="home-head">
      <div>
        <h2 id="templates">Start from a template</h2>
        <p className="help">
          Nothing has run yet. One click creates a flow or an agent, with sample records.
        </p>
      </div>
      <Link to="/templates">All templates</Link>
    </div>
    <Gallery level={3} />
  </section>
);
