// Package remote connects environments of other machines: a client serves a folder over one WebSocket, a hub calls it.
package remote
