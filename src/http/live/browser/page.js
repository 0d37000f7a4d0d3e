// The live page: listens to the stream, keeps the newest orders and webhooks, and shows what changed.
import { duration, element, orderItem, stateCounts, webhookItem } from './elements.js';

const MAX_ORDERS = 60;
const MAX_WEBHOOKS = 200;
const NEWS_INTERVAL_MS = 5_000;
const RECONNECT_MS = 2_000;

const byId = (id) => document.getElementById(id);
const orders = new Map();
/** Elements of the list, by order. */
const orderItems = new Map();
let webhookCount = 0;
let clockOffsetMs = 0;

function connect() {
  const stream = new EventSource('/live/stream');
  stream.addEventListener('snapshot', (message) => showAll(JSON.parse(message.data)));
  stream.addEventListener('update', (message) => showChanges(JSON.parse(message.data)));
  stream.addEventListener('error', () => {
    showConnection('lost', 'Connection lost. Reconnecting…');
    // A browser stops reconnecting after an answer that is not an event stream.
    if (stream.readyState !== EventSource.CLOSED) return;
    stream.close();
    setTimeout(connect, RECONNECT_MS);
  });
}

function showAll(picture) {
  orders.clear();
  orderItems.clear();
  byId('orders').replaceChildren();
  byId('webhooks').replaceChildren();
  webhookCount = 0;
  show(picture, { isNew: false });
  const paste = byId('paste');
  if (orders.size === 0) paste.open = true;
}

function showChanges(changes) {
  show(changes, { isNew: true });
  collectNews(changes.orders);
}

function show(content, { isNew }) {
  clockOffsetMs = content.now - Date.now();
  showConnection('live', 'Live');
  showCommand(content.curlLine);
  for (const order of content.orders) orders.set(order.id, order);
  const newest = [...orders.values()].sort((a, b) => (a.id < b.id ? 1 : -1));
  for (const order of newest.splice(MAX_ORDERS)) orders.delete(order.id);
  showOrders(newest, new Set(content.orders.map((order) => order.id)), isNew);
  showWebhooks(content.webhooks, isNew);
  byId('states').replaceChildren(...stateCounts(newest));
  byId('orders-empty').hidden = orders.size > 0;
  byId('webhooks-empty').hidden = webhookCount > 0;
  showAges();
}

// Unchanged items keep their elements, so that nothing loses its position or focus.
function showOrders(newest, changed, isNew) {
  for (const order of newest) {
    if (orderItems.has(order.id) && !changed.has(order.id)) continue;
    const item = orderItem(order);
    if (isNew) item.classList.add('fresh');
    orderItems.get(order.id)?.replaceWith(item);
    orderItems.set(order.id, item);
  }
  for (const [id, item] of orderItems) {
    if (orders.has(id)) continue;
    item.remove();
    orderItems.delete(id);
  }
  const list = byId('orders');
  newest.forEach((order, index) => {
    const item = orderItems.get(order.id);
    if (list.children[index] !== item) list.insertBefore(item, list.children[index] ?? null);
  });
}

function showWebhooks(webhooks, isNew) {
  const list = byId('webhooks');
  for (const webhook of webhooks) {
    const item = webhookItem(webhook);
    if (isNew) item.classList.add('fresh');
    list.prepend(item);
    webhookCount += 1;
  }
  while (list.children.length > MAX_WEBHOOKS) list.lastElementChild.remove();
}

function showAges() {
  const now = Date.now() + clockOffsetMs;
  for (const age of document.querySelectorAll('[data-since]')) {
    age.textContent = `${duration(Math.max(1_000, now - Number(age.dataset.since)))} ago`;
  }
}

function showCommand(line) {
  byId('paste').hidden = line === null;
  if (line !== null) byId('curl').textContent = line;
}

function showConnection(state, text) {
  const connection = byId('connection');
  if (connection.dataset.connection === state) return;
  connection.dataset.connection = state;
  connection.textContent = text;
}

let news = new Map();

// Announced in one sentence at intervals: a screen reader that reads out every change is unusable.
function collectNews(changed) {
  if (changed.length > 0 && news.size === 0) setTimeout(announceNews, NEWS_INTERVAL_MS);
  for (const order of changed) news.set(order.orderNumber, order.state);
}

function announceNews() {
  const [[number, state] = []] = news;
  const text = news.size === 1 ? `Order ${number} is ${state}` : `${news.size} orders changed`;
  byId('news').replaceChildren(element('span', { text }));
  news = new Map();
}

async function copyCommand() {
  const button = byId('copy');
  try {
    await navigator.clipboard.writeText(byId('curl').textContent);
    button.textContent = 'Copied';
  } catch {
    // Without clipboard permission the text is selected instead, to be copied with the keyboard.
    getSelection().selectAllChildren(byId('curl'));
    button.textContent = 'Selected';
  }
  setTimeout(() => {
    button.textContent = 'Copy';
  }, 2_000);
}

byId('copy').addEventListener('click', () => void copyCommand());
setInterval(showAges, 1_000);
connect();
