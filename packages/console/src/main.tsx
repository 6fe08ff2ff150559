import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App, loadAhead } from './app.tsx';
import { loadFirstTranslation } from './preferences_and_words.tsx';
import './styles/tokens.css';
import './styles/base.css';
import './styles/frame.css';
import './styles/alarm.css';
import './styles/tables.css';
import './styles/rows.css';
import './styles/today.css';
import './styles/tank.css';
import './styles/search.css';
import './styles/view_switch.css';
import './styles/print.css';

const root = document.querySelector('#app');
if (root === null) throw new Error('#app is missing in index.html');
loadAhead();
await loadFirstTranslation();
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
