package web

// scripted is what the script says.
var scripted = []string{
	"A rule on each line", "Below which node (its title or id)", "Both are below. Read it and save.", "Delete", "Discard",
	"Edit the goal", "Edit the rules", "Goal", "It goes with all that is below it. The activity can undo that.", "Move",
	"New node below", "Put both together", "Rename", "Requirement", "Save", "Save writes what stands below.",
	"The conclusion: what came of it", "The life cycle does not allow that. From here a node can become:", "The rules:",
	"This text was changed elsewhere meanwhile. It says now:", "Title", "Type",
	"Where both changed the same lines, yours stand first. Such places:", "moved", "not connected", "saved",
	"execution", "planning", "complete", "fail", "cancel",
	"pending", "monitoring", "implementing", "validating", "completed", "failed", "cancelled",
}

// chinese has what the page says in Chinese, by its English.
var chinese = map[string]string{
	// The head and every page
	"Skip to the content": "跳到正文", "Views": "视图", "Workspace": "工作区", "Workspaces": "其他工作区", "Overview": "概览", "Plan": "计划",
	"Activity": "动态", "Search": "搜索", "Memory": "记忆", "Sessions": "会话", "Approvals": "审批", "Check": "检查", "Keys": "快捷键",
	"OK": "确定", "Cancel": "取消", "Close": "关闭", "Save": "保存", "Discard": "放弃", "Edit": "编辑", "Add": "添加", "Show": "显示",
	"saved": "已保存", "moved": "已移动", "not connected": "未连接", "That did not work": "没有成功", "Back to the overview": "回到概览",
	"This browser is not logged in. In the folder of the plan, run:": "此浏览器尚未登录。请在计划所在的文件夹中运行：",
	"to the filter of the plan, or to the search":                    "到计划的筛选框，或到搜索",
	"to the next node, or the one before":                            "到下一个或上一个节点",
	"open and close what is below a node":                            "展开或折叠节点的下级",
	"open the node":                                                  "打开节点",
	"move the node: down, up, below the one before, out":             "移动节点：下移、上移、移入前一个节点之下、移出",
	"save what is edited":                                            "保存正在编辑的内容",
	"these keys":                                                     "显示快捷键",

	// Overview
	"No plan yet": "还没有计划", "A plan begins with its name and what it is for.": "计划从名称和目标开始。", "Begin": "开始", "Name": "名称",
	"Or in the folder of your project:": "或者在项目文件夹中：", "Goal": "目标", "Progress": "进度", "done": "已完成", "Edit the goal": "编辑目标",
	"Since you were here": "自上次访问以来", "and more": "还有", "Nothing has changed.": "没有变化。", "In work": "进行中", "Nothing is in work.": "没有进行中的节点。",
	"Add a node to the plan": "向计划中添加节点", "Next": "接下来", "Problems": "问题", "Problem": "问题", "Files": "文件", "Findings of check": "检查发现",
	"Look at them": "查看", "Rules": "规则", "None. Rules are shown to assistants before they add to the plan.": "无。助手在向计划添加内容之前会看到规则。",
	"Edit the rules": "编辑规则", "A rule on each line": "每行一条规则", "Documents": "文档", "focus": "焦点", "problem": "问题", "damaged": "损坏", "by": "由",
	"node": "个节点", "nodes": "个节点", "entry": "条", "entries": "条",

	// Plan and board
	"As a board": "以看板显示", "As an outline": "以大纲显示", "Board": "看板", "Filter": "筛选", "Status": "状态", "any": "任意", "Claimed by": "认领者",
	"Show everything": "显示全部", "That match:": "符合条件：", "A filter finds the others.": "其余的可用筛选找到。",
	"The life cycle does not allow that. From here a node can become:": "生命周期不允许这样做。节点从这里可以变为：",
	"pending": "待办", "planning": "规划", "monitoring": "跟进", "implementing": "执行中", "validating": "验证中", "completed": "已完成", "failed": "失败",
	"cancelled": "已取消", "execution": "执行", "invalid": "无效", "gone": "已不存在", "unreadable": "无法读取",

	// Node
	"last changed": "最后修改", "start": "开始", "submit": "提交", "complete": "完成", "fail": "失败", "retry": "重试", "reopen": "重新打开", "cancel": "取消",
	"New node below": "新建下级节点", "Rename": "重命名", "Move": "移动", "Delete": "删除", "Title": "标题", "Type": "类型", "The rules:": "规则：",
	"Below which node (its title or id)": "移到哪个节点之下（标题或编号）", "Requirement": "需求", "Conclusion": "结论", "Note": "备注", "Nothing yet.": "还没有内容。",
	"Below": "下级", "References": "引用", "Who refers here": "谁引用了这里", "Log": "日志", "New entry": "新条目", "What an assistant gets": "助手得到的内容",
	"History": "历史", "open in": "打开于", "Budget in tokens": "预算（token）", "Left out": "省略的内容", "tokens": "token", "Nothing is left out.": "没有省略。",
	"not committed": "尚未提交", "The conclusion: what came of it": "结论：结果如何",
	"It goes with all that is below it. The activity can undo that.": "它和所有下级都会被删除。可以在动态中撤销。",
	"This text was changed elsewhere meanwhile. It says now:":        "这段文字同时在别处被修改了。现在的内容是：",
	"Put both together": "合并两者", "Save writes what stands below.": "保存将写入下面的内容。", "Both are below. Read it and save.": "两者都在下面。请阅读后保存。",
	"Where both changed the same lines, yours stand first. Such places:": "两边修改了相同的行时，你的在前。这样的地方：",
	"requirement": "需求", "conclusion": "结论", "note": "备注", "doc": "文档", "docs": "文档", "log": "日志", "reference": "引用", "file": "文件", "rule": "规则",
	"goal": "目标", "text": "文字", "isolated": "被隔离的节点隐藏", "missing": "不存在", "cycle": "循环", "expired": "已过期", "maxLogEntries": "超过日志条数",
	"excluded": "按选项省略", "budget": "超出预算",

	// Activity
	"What happens": "正在发生", "Nothing has changed since the server was started:": "服务器启动后没有变化：", "What can be undone": "可以撤销的操作",
	"undone": "已撤销", "Undo": "撤销", "created": "新建", "changed": "修改", "removed": "删除", "added": "新增", "diagnosed": "检查",

	// Search, memory, sessions, states
	"Words": "词语", "In": "范围", "everything": "全部", "Found": "找到", "Nothing has these words.": "没有找到这些词语。",
	"It looks through plan, memory, sessions, states and documents.": "在计划、记忆、会话、状态和文档中查找。", "plan": "计划", "memory": "记忆",
	"sessions": "会话", "states": "状态记录", "session": "会话", "state": "状态记录", "slot": "记忆", "workspace": "工作区", "document": "文档",
	"archived": "已归档", "No memory slots here. Assistants keep what they learn in them; so can you:": "这里没有记忆。助手把学到的东西记在其中，你也可以：",
	"New slot": "新建记忆", "Text": "文字", "the newest are shown": "只显示最新的", "goes on": "进行中",
	"No sessions yet. Assistants begin one when they work for longer, and so does:": "还没有会话。助手在较长的工作开始时会建立会话，也可以运行：",
	"States": "状态记录",
	"No states yet. A state says where a session stands, for whoever goes on:": "还没有状态记录。它说明会话进行到哪里，供之后的人继续：",
	"Notes": "笔记", "Task": "任务", "Next steps": "下一步", "The node in work then": "当时进行中的节点", "Conversation": "对话", "Reasoning": "理由",
	"Changed since then": "此后的变化",

	// Approvals and check
	"Its reason:": "理由：", "Approve once": "批准一次", "For this session": "本次会话内批准", "Deny": "拒绝",
	"Nothing waits for you. What an assistant may do only with your word is asked here.": "没有等待审批的请求。助手只有得到你同意才能做的事会在这里询问。",
	"call": "调用", "tool": "工具", "register": "登记环境", "access": "使用环境",
	"Repair": "修复", "What the repairs change": "修复会改变的内容", "Nothing is wrong.": "一切正常。",
}
