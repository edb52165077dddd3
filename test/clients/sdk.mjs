// Drives the service with an official TypeScript SDK client: `node sdk.mjs v1|v2`, with the RPC address in `rpc`
// and a key in `key`. Prints its steps and exits with 1 if a response differs from the contract. Writes the calls of the
// implemented tools to the file in `calls`, for the other clients.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';

const line = process.argv[2];
const sdk = line === 'v1'
  ? { ...(await import('@modelcontextprotocol/sdk/client/index.js')), ...(await import('@modelcontextprotocol/sdk/client/streamableHttp.js')) }
  : await import('@modelcontextprotocol/client');

const address = new URL(process.env.rpc);
const transport = (key) => new sdk.StreamableHTTPClientTransport(address, { requestInit: { headers: { Authorization: `Bearer ${key}` } } });
const text = (result) => result.content[0].text;
// The values of required parameters, except the campaign. A parameter with a list of values has the first of them.
const values = JSON.parse(readFileSync(new URL('values.json', import.meta.url)));
const argumentsOf = ({ name, inputSchema }) => Object.fromEntries((inputSchema.required ?? []).map((parameter) => {
  const value = inputSchema.properties[parameter].enum?.[0] ?? values[parameter];
  assert.notEqual(value, undefined, `values.json has no value for ${parameter} of ${name}`);
  return [parameter, value];
}));

const client = new sdk.Client({ name: 'suite', version: '1.0.0' });
await client.connect(transport(process.env.key));
const { tools } = await client.listTools();
assert.equal(tools.length, 29);

const { structuredContent: { rows } } = await client.callTool({ name: 'discover', arguments: { aspect: 'capabilities' } });
assert.deepEqual(rows.map((r) => r.tool), tools.map((t) => t.name), 'discover lists the status of each tool');
const later = new Set(rows.filter((r) => r.status === 'not_available').map((r) => r.tool));

// A campaign of the demo's simulated account, for the tools that change campaigns.
const campaigns = await client.callTool({ name: 'campaigns', arguments: { platform: 'facebook', level: 'campaign' } });
values.platform_campaign_id = campaigns.structuredContent.rows[0].platform_campaign_id;
// What manage needs besides its action. Without confirmation it changes nothing.
const besides = { manage: { action: 'create_annotation', params: { date: '2026-01-05', label: 'Sale' } } };

const built = {};
for (const tool of tools) {
  const { name } = tool;
  const given = { ...argumentsOf(tool), ...besides[name] };
  const result = await client.callTool({ name, arguments: given });
  assert.equal(result.content[0].type, 'text', name);
  if (later.has(name)) {
    assert.match(text(result), /not available yet/, `${name}: ${text(result)}`);
    continue;
  }
  built[name] = given;
  assert.ok(!result.isError, `${name}: ${text(result)}`);
  assert.deepEqual(result.structuredContent, JSON.parse(text(result)), `${name}: structuredContent is the text's object`);
}
if (process.env.calls) writeFileSync(process.env.calls, JSON.stringify(built));
const csv = await client.callTool({ name: 'performance', arguments: { format: 'csv' } });
assert.equal(csv.structuredContent, undefined);
const wrong = await client.callTool({ name: 'campaigns', arguments: { limit: 101 } });
assert.ok(wrong.isError && /limit/.test(text(wrong)), 'a wrong value names its parameter');
await assert.rejects(() => client.callTool({ name: 'nope', arguments: {} }), /-32602|400/);
await assert.rejects(() => client.ping(), (e) => e.code === -32601);

const resources = [];
for (let cursor; ;) {
  const page = await client.listResources(cursor ? { cursor } : undefined);
  resources.push(...page.resources);
  cursor = page.nextCursor;
  if (!cursor) break;
}
assert.equal(new Set(resources.map((r) => r.uri)).size, resources.length, 'each resource is listed once');
for (const { uri } of resources.filter((_, i) => i % 20 === 0)) assert.ok((await client.readResource({ uri })).contents.length > 0, uri);
const { prompts } = await client.listPrompts();
for (const { name } of prompts) assert.ok((await client.getPrompt({ name, arguments: {} })).messages.length > 0, name);

const many = await Promise.all(Array.from({ length: 20 }, () => client.callTool({ name: 'discover', arguments: {} })));
assert.ok(many.every((r) => !r.isError));
await client.close();
await assert.rejects(() => new sdk.Client({ name: 'suite', version: '1.0.0' }).connect(transport(`asy_${'A'.repeat(36)}`)));
console.log(`TypeScript SDK ${line}: 29 tools listed, ${Object.keys(built).length} built ones called, refusals as in the contract`);
process.exit(0);
