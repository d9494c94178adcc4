export { findConversations, type Found, type FoundOrNot } from './conversations.js'
export { readConversation, type ReadConversation, type ReadOptions } from './read-conversation.js'
